#ifndef CEDAR_ENGINE_DECODER_REPLAY_H_
#define CEDAR_ENGINE_DECODER_REPLAY_H_

// The decoder half of a prompt's last tokens, whose encoder outputs wait in their sequence
// (model.md, Prefill; PendingRows in engine/sequence.h).

#include <cstddef>

#include "engine/forward.h"
#include "engine/replay.h"
#include "engine/sequence.h"
#include "engine/step.h"

namespace cedar {

// Pending rows [first, first + count). REQUIRES: the history ends with the last pending one.
Segment PendingSegment(Sequence& sequence, size_t first, size_t count);

// Runs every decoder layer on the pending rows that `replay` wants there, as many at a time as the
// scratch has room for. The last row's streams are ready for logits. Returns how many rows that
// were, as a mean over the layers. REQUIRES: replay is not kFull.
size_t ReplayByLayer(const Forward& f, Sequence& sequence, Replay replay);

}  // namespace cedar

#endif  // CEDAR_ENGINE_DECODER_REPLAY_H_
