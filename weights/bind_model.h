#ifndef CEDAR_WEIGHTS_BIND_MODEL_H_
#define CEDAR_WEIGHTS_BIND_MODEL_H_

// Every tensor of a model: its name, its shape and its format in the release (checkpoint.md, the
// table). Code outside of weights/ calls BindWeights (model_weights.h) or CountModel
// (model_counts.h).

#include "weights/config.h"
#include "weights/layer_plan.h"
#include "weights/model_weights.h"
#include "weights/tensor_source.h"

namespace cedar {

// Asks the source for each tensor that the plan needs, in the order of the layers.
ModelWeights BindModel(TensorSource& source, const ModelConfig& config, const LayerPlan& plan);

}  // namespace cedar

#endif  // CEDAR_WEIGHTS_BIND_MODEL_H_
