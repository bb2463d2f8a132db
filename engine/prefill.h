#ifndef CEDAR_ENGINE_PREFILL_H_
#define CEDAR_ENGINE_PREFILL_H_

// How a sequence's tokens go through the layers (model.md, Prefill). All of these work on tokens
// that already stand in the sequence's history.

#include <cstddef>

#include "engine/forward.h"
#include "engine/sequence.h"
#include "engine/step.h"

namespace cedar {

// Tokens [position, position + count) as a step whose streams are their embeddings, in the scratch.
// count is at most scratch.rows.
Step EmbedTokens(const Forward& f, Sequence& sequence, size_t position, size_t count, RowKind kind);

// Runs a step through layers [first, last).
void RunLayers(const Forward& f, size_t first, size_t last, const Step& step);

// The encoder half of a chunk of a prompt, and the decoder's global KV. The encoder's outputs join
// the sequence's pending rows.
void EncodeChunk(const Forward& f, Sequence& sequence, size_t position, size_t count);

// The decoder half of what is pending, as `replay` (not kFull) says; the pending rows are used up.
// Returns the segment of the last row, for its logits.
Segment ReplayDecoder(const Forward& f, Sequence& sequence, Replay replay);

// The encoder half of the last window of tokens, on a sequence that has global KV alone: rebuilds
// the encoder's windows and the pending rows, and leaves the global KV as it is.
void RebuildWindows(const Forward& f, Sequence& sequence);

}  // namespace cedar

#endif  // CEDAR_ENGINE_PREFILL_H_
