#ifndef CEDAR_ENGINE_BLOCK_H_
#define CEDAR_ENGINE_BLOCK_H_

// One layer of the model on the rows of a step (model.md, Block): the same function for a chunk of
// a prompt, for a replay and for generated tokens.

#include <cstddef>

#include "engine/forward.h"
#include "engine/step.h"

namespace cedar {

// Advances the streams and `pre` of every row, and the window rings of the layer; a KV source adds
// the published rows to the global KV. REQUIRES: BeginStep() was called for these rows.
void Block(const Forward& f, size_t layer, const Step& step);

// Fills what all layers share for these rows: the rotary angles of their positions.
void BeginStep(const Forward& f, const Step& step);

}  // namespace cedar

#endif  // CEDAR_ENGINE_BLOCK_H_
