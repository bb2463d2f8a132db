#ifndef CEDAR_APP_MODEL_SOURCE_H_
#define CEDAR_APP_MODEL_SOURCE_H_

// What the argument MODEL stands for.

#include <string>

#include "weights/model_files.h"

namespace cedar {

// The name of the model inside the program. A folder of that name is ./demo.
inline constexpr const char kDemoModel[] = "demo";

// The files of the model. Throws Error (kModel) if there is no such folder.
ModelFiles OpenModel(const std::string& model);

}  // namespace cedar

#endif  // CEDAR_APP_MODEL_SOURCE_H_
