#ifndef CEDAR_APP_GENERATE_H_
#define CEDAR_APP_GENERATE_H_

// From a prompt to its answer, token by token, in a session of its own.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include "app/answer_options.h"
#include "app/options.h"
#include "app/report.h"
#include "app/token_chooser.h"
#include "engine/engine.h"

namespace cedar {

// What is asked of the engine for one answer.
struct Generation {
  std::span<const int32_t> prompt;  // ids
  AnswerOptions answer;
  std::optional<size_t> max_tokens;  // unset: until the end of text or of the context
  ComputeOptions compute;
};

struct Generated {
  AnswerFigures figures;
  size_t plan_bytes;
};

// Called with each generated id but that of the end of text.
using TokenSink = std::function<void(int32_t id)>;

// Throws Error (kInput) for a prompt that is empty or leaves no room in the context, Interrupted
// between two steps. Shows the prefill on standard error where it is long. `begin`: called before
// the first step, when all has been checked and the memory is there.
Generated Generate(const Engine& engine, const Generation& generation, const TokenSink& sink,
                   const std::function<void()>& begin);

// The part behind the prompt: goes on from the session's logits for at most `limit` tokens. Returns
// how many were chosen, the one that ended the text included; the last is not yet in the session.
// `first`: called when the first has been chosen.
size_t GenerateFrom(Session& session, TokenChooser& chooser, size_t limit, const TokenSink& sink,
                    const std::function<void()>& first);

}  // namespace cedar

#endif  // CEDAR_APP_GENERATE_H_
