#ifndef CEDAR_WEIGHTS_REQUIRED_TENSORS_H_
#define CEDAR_WEIGHTS_REQUIRED_TENSORS_H_

// Which tensors of a checkpoint a model needs, and what is wrong with their types and shapes.

#include <functional>
#include <string>
#include <vector>

#include "weights/checkpoint.h"
#include "weights/config.h"
#include "weights/layer_plan.h"

namespace cedar {

struct RequiredTensors {
  std::vector<const Tensor*> tensors;  // those that are there, scales among them, each once
  std::vector<std::string> damages;    // messages: a tensor that is not there or does not fit
};

// Looks at headers alone. `is_lost` says of which tensors it is known already that they cannot be
// there: nothing is said of them.
RequiredTensors FindRequiredTensors(const Checkpoint& checkpoint, const ModelConfig& config,
                                    const LayerPlan& plan,
                                    const std::function<bool(const std::string&)>& is_lost);

}  // namespace cedar

#endif  // CEDAR_WEIGHTS_REQUIRED_TENSORS_H_
