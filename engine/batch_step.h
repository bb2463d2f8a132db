#ifndef CEDAR_ENGINE_BATCH_STEP_H_
#define CEDAR_ENGINE_BATCH_STEP_H_

// The one way through the model: a step of one sequence (engine/session.cc) or of many at once
// (engine/scheduler.h), where chunks of prompts and generated tokens share each read of the
// weights. In the encoder half the step holds both; in the decoder half the prompts that end with
// this step take part with the rows that their replay wants, and the others not at all (model.md,
// Prefill).

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/forward.h"
#include "engine/replay.h"
#include "engine/sequence.h"
#include "engine/step.h"

namespace cedar {

// Tokens of a prompt that stand in the sequence's history.
struct PromptChunk {
  Sequence* sequence;
  size_t position;
  size_t count;   // 0: everything was restored, only the decoder is left to do
  Replay replay;  // kFull: the chunk goes through every layer
  bool last;      // the prompt ends with it
  // False: the global KV of its tokens is there; the encoder's windows and the pending rows are
  // made anew.
  bool publish = true;
  size_t owner = 0;  // of its segments (engine/step.h)
};

// Generated tokens that stand in the sequence's history: one, or all of them when a sequence that
// was preempted comes back.
struct GeneratedRun {
  Sequence* sequence;
  size_t position;
  size_t count;
  size_t owner = 0;
};

// A part of a prompt that a later step will hold, whose Engram rows are fetched meanwhile.
struct ComingTokens {
  std::span<const int32_t> tokens;  // the prompt from its beginning to the end of the part
  size_t* asked;                    // of them, those that were asked for already; moves on
};

struct BatchStep {
  std::vector<PromptChunk> chunks{};
  std::vector<GeneratedRun> generated{};
  std::vector<ComingTokens> coming{};  // beside what stands in the histories behind the chunks

  size_t EncoderRows() const;
  // Rows of the decoder half: at most `window` for each prompt that ends with a bounded replay.
  // Exact replays take none: they run after it, on their own.
  size_t DecoderRows(size_t window) const;
};

// What a step leaves behind.
struct StepOutputs {
  // Rows whose streams are ready for logits (engine/output_head.h): the last row of each segment,
  // and all of those that went through every layer. Segments are of prompts that ended, of chunks
  // that go through every layer, and of generated runs. Valid until the next step.
  Step step;
  size_t decoder_rows = 0;  // rows through the decoder half; of exact replays a mean over layers
};

// Runs the step through all layers. EncoderRows() and DecoderRows() are at most scratch.rows, but
// for a bounded replay of a step that holds nothing else; every sequence is in the step once.
StepOutputs RunBatchStep(const Forward& f, const BatchStep& batch);

// The encoder half of the last window of tokens, on a sequence that has global KV alone: rebuilds
// the encoder's windows and the pending rows, and leaves the global KV as it is.
void RebuildWindows(const Forward& f, Sequence& sequence);

}  // namespace cedar

#endif  // CEDAR_ENGINE_BATCH_STEP_H_
