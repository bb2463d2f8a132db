#ifndef CEDAR_ENGINE_COMPRESSOR_H_
#define CEDAR_ENGINE_COMPRESSOR_H_

// Compressed KV (model.md, Compressed rows, Index keys): a KV source pools the attention inputs of
// each group of tokens into one row, and makes the row's index key.

#include <cstddef>

#include "engine/forward.h"
#include "engine/step.h"

namespace cedar {

// Turns x [step.rows][hidden], the attention inputs of `layer`, into new rows and keys of the
// sequences' global KV, but for rows of a replay. A group that is not complete waits in the
// sequence. REQUIRES: the layer is a KV source.
void Publish(const Forward& f, size_t layer, const Step& step, const Bf16* x);

}  // namespace cedar

#endif  // CEDAR_ENGINE_COMPRESSOR_H_
