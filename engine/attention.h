#ifndef CEDAR_ENGINE_ATTENTION_H_
#define CEDAR_ENGINE_ATTENTION_H_

// Compressed sparse attention (model.md, Attention): each row attends to the last rows of its own
// layer's window and to the compressed rows that the latest index source selected.

#include <cstddef>

#include "engine/forward.h"
#include "engine/step.h"

namespace cedar {

// scratch.y = attention of scratch.x, for all rows of the step. Adds the rows to the layer's window
// rings; a KV source publishes first, an index source selects.
void Attention(const Forward& f, size_t layer, const Step& step);

// ---- its parts, in order, for tests that swap what one hands to the next ------------------------

// scratch.x -> scratch.attention.{q_latent, q, window_rows}.
void ProjectRows(const Forward& f, size_t layer, const Step& step);

// Then come Publish() (engine/compressor.h) and Select() (engine/indexer.h), and:
//
// scratch.attention.{q, window_rows}, the windows, the global KV and scratch.selections ->
// scratch.attention.heads.
void AttendRows(const Forward& f, size_t layer, const Step& step);

// scratch.attention.heads -> scratch.y.
void ProjectHeads(const Forward& f, size_t layer, const Step& step);

}  // namespace cedar

#endif  // CEDAR_ENGINE_ATTENTION_H_
