#ifndef CEDAR_APP_LAYER_TABLE_H_
#define CEDAR_APP_LAYER_TABLE_H_

// The layer plan as a table like that of model.md, Shape: neighbours that do the same share a line.

#include <string>

#include "weights/config.h"
#include "weights/layer_plan.h"

namespace cedar {

std::string LayerTable(const ModelConfig& config, const LayerPlan& plan);

}  // namespace cedar

#endif  // CEDAR_APP_LAYER_TABLE_H_
