#ifndef CEDAR_WEIGHTS_LOAD_WEIGHTS_H_
#define CEDAR_WEIGHTS_LOAD_WEIGHTS_H_

// Weights in memory of our own instead of in the mapping.

#include <cstddef>
#include <functional>

#include "simd/workers.h"
#include "weights/checkpoint.h"
#include "weights/config.h"
#include "weights/layer_plan.h"
#include "weights/model_weights.h"
#include "weights/weight_memory.h"

namespace cedar {

enum class WeightPlace {
  kMapped,     // where they lie in the files: nothing is read before it is needed
  kHugePages,  // all read before the first token
};

// Called by the thread that loads, some times a second, with bytes; it may throw to give up.
using LoadProgress = std::function<void(size_t done, size_t total)>;

// Binds the model as BindWeights() does and copies its matrices to `memory`, which must outlive
// them: as MoveMatrices() divides them among the nodes of `workers`, each part read by threads of
// its node. Throws Error (kModel) as those two do, and when reading fails.
ModelWeights LoadWeights(const Checkpoint& checkpoint, const ModelConfig& config,
                         const LayerPlan& plan, const simd::Workers& workers,
                         const LoadProgress& progress, WeightMemory& memory);

}  // namespace cedar

#endif  // CEDAR_WEIGHTS_LOAD_WEIGHTS_H_
