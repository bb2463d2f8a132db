#ifndef CEDAR_APP_MODEL_SOURCE_H_
#define CEDAR_APP_MODEL_SOURCE_H_

// What the argument MODEL stands for.

#include <string>

#include "weights/config.h"
#include "weights/model_files.h"
#include "weights/tokenizer.h"

namespace cedar {

// The name of the model inside the program. A folder of that name is ./demo.
inline constexpr const char kDemoModel[] = "demo";

// The files of the model. Throws Error (kModel) if there is no such folder.
ModelFiles OpenModel(const std::string& model);

// Its config.json and its tokenizer.json, which some commands need alone.
ModelConfig ReadConfig(const ModelFiles& files);
Tokenizer ReadTokenizer(const ModelFiles& files);

}  // namespace cedar

#endif  // CEDAR_APP_MODEL_SOURCE_H_
