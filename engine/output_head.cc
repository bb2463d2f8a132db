#include "engine/output_head.h"

#include "engine/linear.h"
#include "engine/model.h"
#include "engine/observer.h"
#include "engine/scratch.h"
#include "simd/error.h"

namespace cedar {

void ComputeLogits(const Forward& f, std::span<const RowRef> rows) {
  CEDAR_CHECK(rows.size() <= kLogitRows);
  if (f.observer != nullptr) f.observer->OnLogits(rows.size());
  const ModelConfig& c = f.model.config;
  const simd::Kernels& k = f.model.kernels;
  Bf16* x = f.scratch.head_in;
  size_t prompt_rows = 0;
  for (const RowRef& row : rows) {
    const Segment& segment = *row.segment;
    k.collapse(segment.streams + row.offset * c.streams_width(), segment.pre + row.offset * c.hc,
               c.hc, c.hidden, x);
    k.rms_norm(x, f.model.weights.norm.data(), c.hidden, c.norm_eps, x);
    x += c.hidden;
    if (segment.kind == RowKind::kPrompt) ++prompt_rows;
  }
  Linear(f, {f.scratch.head_in, c.hidden, rows.size(), prompt_rows},
         {{&f.model.weights.head, {.f32 = f.scratch.logits, .stride = c.vocab}}});
}

}  // namespace cedar
