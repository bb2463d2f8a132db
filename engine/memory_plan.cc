#include "engine/memory_plan.h"

#include "engine/kv_pages.h"
#include "engine/scratch.h"
#include "engine/sequence.h"

namespace cedar {

size_t LargestContext(size_t most, const std::function<bool(size_t context)>& fits) {
  size_t fitting = 0, too_much = most + 1;
  while (too_much - fitting > 1) {
    const size_t middle = fitting + (too_much - fitting) / 2;
    (fits(middle) ? fitting : too_much) = middle;
  }
  return fitting;
}

MemoryPlan PlanMemory(const ModelConfig& config, const LayerPlan& plan,
                      const PlanOptions& options) {
  const SequenceBytes bytes = CountSequenceBytes(config, plan, options.context, options.replay);
  MemoryPlan out;
  out.windows = bytes.windows;
  const KvPageLayout page(config, plan);
  out.global_kv = page.PagesFor(options.context) * page.bytes;
  out.pending = bytes.pending;
  out.history = options.context * sizeof(int32_t);
  out.scratch = CountScratchBytes(config, plan, options);
  out.total = options.parallel * out.sequence() + out.scratch;
  return out;
}

}  // namespace cedar
