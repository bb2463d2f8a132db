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

// The same for a step whose segments have their places in the scratch already.
void EmbedStep(const Forward& f, const Step& step);

// Runs a step through layers [first, last). Meanwhile the disk looks for Engram rows of the tokens
// behind it.
void RunLayers(const Forward& f, size_t first, size_t last, const Step& step);

// The encoder half of a chunk of a prompt, and the decoder's global KV. The encoder's outputs join
// the sequence's pending rows.
void EncodeChunk(const Forward& f, Sequence& sequence, size_t position, size_t count);

// After the encoder half of a step of prompt segments: makes the decoder's global KV of them, and
// adds their streams to the pending rows of their sequences. The scratch still holds the step.
void PendForDecoder(const Forward& f, const Step& step);

// Adds the pending rows that bounded replay wants (all that wait, one window at most) to a step of
// the decoder half. They are used up: the streams stay readable until the next prompt token.
void AddReplay(const Forward& f, Sequence& sequence, Step& step);

// The decoder half of what is pending, as `replay` (not kFull) says; the pending rows are used up.
// Returns the segment of the last row, for its logits.
Segment ReplayDecoder(const Forward& f, Sequence& sequence, Replay replay);

// Decoder rows of an exact replay of so many pending ones, as a mean over its layers.
size_t ExactReplayRows(const Forward& f, size_t pending);

// The encoder half of the last window of tokens, on a sequence that has global KV alone: rebuilds
// the encoder's windows and the pending rows, and leaves the global KV as it is.
void RebuildWindows(const Forward& f, Sequence& sequence);

}  // namespace cedar

#endif  // CEDAR_ENGINE_PREFILL_H_
