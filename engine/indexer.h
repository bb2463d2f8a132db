#ifndef CEDAR_ENGINE_INDEXER_H_
#define CEDAR_ENGINE_INDEXER_H_

// Selection (model.md, Selection): an index source scores the visible compressed rows for each row
// and keeps the best. The candidate source also marks the best blocks of rows; index sources after
// it choose inside those blocks only.

#include <cstddef>

#include "engine/forward.h"
#include "engine/step.h"

namespace cedar {

// x [step.rows][hidden], the attention inputs of the layer, and scratch.attention.q_latent ->
// scratch.selections.
// REQUIRES: the layer is an index source, and its KV source has published these rows.
void Select(const Forward& f, size_t layer, const Step& step, const Bf16* x);

}  // namespace cedar

#endif  // CEDAR_ENGINE_INDEXER_H_
