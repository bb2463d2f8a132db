#ifndef CEDAR_WEIGHTS_READ_MODEL_H_
#define CEDAR_WEIGHTS_READ_MODEL_H_

// The parts of a model that some commands need alone. Both throw Error (kModel) that names the
// file.

#include "weights/config.h"
#include "weights/model_files.h"
#include "weights/tokenizer.h"

namespace cedar {

ModelConfig ReadConfig(const ModelFiles& files);
Tokenizer ReadTokenizer(const ModelFiles& files);

}  // namespace cedar

#endif  // CEDAR_WEIGHTS_READ_MODEL_H_
