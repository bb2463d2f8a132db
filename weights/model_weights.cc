#include "weights/model_weights.h"

#include "weights/bind_model.h"
#include "weights/checkpoint_source.h"

namespace cedar {

ModelWeights BindWeights(const Checkpoint& checkpoint, const ModelConfig& config,
                         const LayerPlan& plan) {
  CheckpointSource source(checkpoint);
  ModelWeights weights = BindModel(source, config, plan);
  for (const MappedFile* file : checkpoint.files()) {
    if (file->residency() == Residency::kTold) weights.may_be_cold = true;
  }
  return weights;
}

}  // namespace cedar
