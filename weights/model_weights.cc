#include "weights/model_weights.h"

#include "weights/bind_model.h"
#include "weights/checkpoint_source.h"

namespace cedar {

ModelWeights BindWeights(const Checkpoint& checkpoint, const ModelConfig& config,
                         const LayerPlan& plan) {
  CheckpointSource source(checkpoint);
  return BindModel(source, config, plan);
}

}  // namespace cedar
