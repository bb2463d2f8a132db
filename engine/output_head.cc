#include "engine/output_head.h"

#include "engine/linear.h"
#include "engine/model.h"
#include "engine/scratch.h"
#include "simd/error.h"

namespace cedar {

void ComputeLogits(const Forward& f, const Segment& segment, size_t first, size_t count) {
  CEDAR_CHECK(count <= kLogitRows && first + count <= segment.count);
  const ModelConfig& c = f.model.config;
  const simd::Kernels& k = f.model.kernels;
  for (size_t i = 0; i < count; ++i) {
    Bf16* const x = f.scratch.head_in + i * c.hidden;
    k.collapse(segment.streams + (first + i) * c.streams_width(), segment.pre + (first + i) * c.hc,
               c.hc, c.hidden, x);
    k.rms_norm(x, f.model.weights.norm.data(), c.hidden, c.norm_eps, x);
  }
  const size_t prompt_rows = segment.kind == RowKind::kPrompt ? count : 0;
  Linear(f, {f.scratch.head_in, c.hidden, count, prompt_rows},
         {{&f.model.weights.head, {.f32 = f.scratch.logits, .stride = c.vocab}}});
}

}  // namespace cedar
