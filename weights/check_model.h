#ifndef CEDAR_WEIGHTS_CHECK_MODEL_H_
#define CEDAR_WEIGHTS_CHECK_MODEL_H_

// Whether a model would load, found out without computing anything: every tensor of the config is
// there with its type and shape, all files are whole, and the tokenizer fits. Reads headers, norms
// and other small tensors; no matrix.

#include "weights/checkpoint.h"
#include "weights/model_files.h"

namespace cedar {

// Throws the Error (kModel) that the first command that computes would throw.
Checkpoint CheckModel(const ModelFiles& files);

}  // namespace cedar

#endif  // CEDAR_WEIGHTS_CHECK_MODEL_H_
