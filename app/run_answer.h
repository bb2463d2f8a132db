#ifndef CEDAR_APP_RUN_ANSWER_H_
#define CEDAR_APP_RUN_ANSWER_H_

// What cedar run asks of an answer, for one prompt and for a conversation.

#include <cstdint>

#include "app/answer_options.h"
#include "app/options.h"
#include "engine/engine.h"

namespace cedar {

// The seed that was given, or one that is drawn and said on standard error.
uint64_t SeedOf(const RunOptions& options);

// Throws Error (kInput) for a schema that cannot be read or is not supported.
AnswerOptions AnswerFor(const RunOptions& options, const Engine& engine, uint64_t seed);

}  // namespace cedar

#endif  // CEDAR_APP_RUN_ANSWER_H_
