#ifndef CEDAR_ENGINE_BATCH_STEP_H_
#define CEDAR_ENGINE_BATCH_STEP_H_

// One step of many sequences at once: chunks of prompts and generated tokens share each read of the
// weights. In the encoder half the step holds both; in the decoder half the prompts that end with
// this step take part with the rows that bounded replay wants, and the others not at all
// (model.md, Prefill).

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/forward.h"
#include "engine/sequence.h"
#include "engine/step.h"

namespace cedar {

// Tokens of a prompt that stand in the sequence's history.
struct PromptChunk {
  Sequence* sequence;
  size_t position;
  size_t count;      // 0: everything was restored, only the decoder is left to do
  bool last;         // the prompt ends with it
  bool every_layer;  // replay full
};

// Generated tokens that stand in the sequence's history: one, or all of them when a sequence that
// gave way comes back.
struct GeneratedRun {
  Sequence* sequence;
  size_t position;
  size_t count;
};

// A part of a prompt that a later step will hold, whose Engram rows are fetched meanwhile.
struct ComingTokens {
  std::span<const int32_t> tokens;  // the prompt from its beginning to the end of the part
  size_t* asked;                    // of them, those that were asked for already; moves on
};

struct BatchStep {
  std::vector<PromptChunk> chunks;
  std::vector<GeneratedRun> generated;
  std::vector<ComingTokens> coming;  // beside what stands in the histories behind the chunks

  size_t EncoderRows() const;
  // Rows of the decoder half: at most `window` for each prompt that ends.
  size_t DecoderRows(size_t window) const;
};

// Runs the step through all layers. EncoderRows() and DecoderRows() are at most scratch.rows, and
// every sequence is in the step once.
// Returns the step of the decoder half: the last row of each of its segments has the streams for
// logits; segments follow the chunks that are `last` or go through every layer, then `generated`.
Step RunBatchStep(const Forward& f, const BatchStep& batch);

}  // namespace cedar

#endif  // CEDAR_ENGINE_BATCH_STEP_H_
