#ifndef CEDAR_APP_GENERATE_H_
#define CEDAR_APP_GENERATE_H_

// From a prompt to its answer, token by token.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include "app/options.h"
#include "app/report.h"
#include "engine/engine.h"
#include "engine/sampler.h"

namespace cedar {

enum class Finish {
  kStop,    // the model ended its text
  kLength,  // as many tokens as were allowed
};

// What is asked of the engine for one answer.
struct Generation {
  std::span<const int32_t> prompt;  // ids
  SamplingParams sampling;
  uint64_t seed = 0;
  std::optional<size_t> max_tokens;  // unset: until the end of text or of the context
  ComputeOptions compute;
};

struct Generated {
  Finish finish;
  AnswerFigures figures;
  size_t plan_bytes;
};

// Called with each generated id but that of the end of text.
using TokenSink = std::function<void(int32_t id)>;

// Throws Error (kInput) for a prompt that is empty or leaves no room in the context, Interrupted
// between two steps. Shows the prefill on standard error where it is long.
Generated Generate(const Engine& engine, const Generation& generation, const TokenSink& sink);

}  // namespace cedar

#endif  // CEDAR_APP_GENERATE_H_
