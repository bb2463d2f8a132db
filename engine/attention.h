#ifndef CEDAR_ENGINE_ATTENTION_H_
#define CEDAR_ENGINE_ATTENTION_H_

// Compressed sparse attention (model.md, Attention): each row attends to the last rows of its own
// layer's window and to the compressed rows that the latest index source selected.

#include <cstddef>

#include "engine/forward.h"
#include "engine/step.h"

namespace cedar {

// y = attention of x, both [step.rows][hidden]. Adds the rows to the layer's window rings; a KV
// source publishes first, an index source selects.
void Attention(const Forward& f, size_t layer, const Step& step, const Bf16* x, Bf16* y);

// ---- its parts, in order, for tests that swap what one hands to the next ------------------------

// x [step.rows][hidden] -> scratch.attention.{q_latent, q, window_rows}.
void ProjectRows(const Forward& f, size_t layer, const Step& step, const Bf16* x);

// Then come Publish() (engine/compressor.h) and Select() (engine/indexer.h), and:
//
// scratch.attention.{q, window_rows}, the windows, the global KV and scratch.selections ->
// scratch.attention.heads.
void AttendRows(const Forward& f, size_t layer, const Step& step);

// scratch.attention.heads -> y [step.rows][hidden].
void ProjectHeads(const Forward& f, size_t layer, const Step& step, Bf16* y);

}  // namespace cedar

#endif  // CEDAR_ENGINE_ATTENTION_H_
