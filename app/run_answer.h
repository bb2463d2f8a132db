#ifndef CEDAR_APP_RUN_ANSWER_H_
#define CEDAR_APP_RUN_ANSWER_H_

// What cedar run asks of an answer, for one prompt and for a conversation.

#include "app/answer_options.h"
#include "app/options.h"
#include "engine/engine.h"

namespace cedar {

// With the seed that was given, or one that is drawn. Throws Error (kInput) for a schema that
// cannot be read or is not supported.
AnswerOptions AnswerFor(const RunOptions& options, const Engine& engine);

// Says a drawn seed on standard error: after all that may be wrong, before the answer.
void SayDrawnSeed(const RunOptions& options, const AnswerOptions& answer);

}  // namespace cedar

#endif  // CEDAR_APP_RUN_ANSWER_H_
