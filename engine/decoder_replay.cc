#include "engine/decoder_replay.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "engine/block.h"
#include "engine/model.h"
#include "engine/scratch.h"

namespace cedar {

Segment PendingSegment(Sequence& sequence, size_t first, size_t count) {
  const PendingRows& pending = sequence.pending;
  return {.sequence = &sequence,
          .position = sequence.tokens.size() - pending.count + first,
          .count = count,
          .kind = RowKind::kPrompt,
          .streams = pending.streams + first * pending.row_values,
          .pre = pending.pre + first * pending.hc,
          .selection = first,
          .publish = false};
}

size_t ReplayByLayer(const Forward& f, Sequence& sequence, Replay replay) {
  const LayerPlan& plan = f.model.plan;
  const size_t first_layer = static_cast<size_t>(plan.first_decoder_layer);
  const size_t pending = sequence.pending.count;
  size_t rows = 0;
  for (size_t layer = first_layer; layer < plan.layers.size(); ++layer) {
    const size_t reach = ReplayReach(f.model.config, plan, replay, layer);
    const size_t wanted = std::min(reach, pending);
    for (size_t first = pending - wanted; first < pending;) {
      const size_t count = std::min(f.scratch.rows, pending - first);
      const Step step(std::vector{PendingSegment(sequence, first, count)});
      BeginStep(f, step);
      Block(f, layer, step);
      first += count;
    }
    rows += wanted;
  }
  return rows / (plan.layers.size() - first_layer);
}

}  // namespace cedar
