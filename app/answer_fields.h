#ifndef CEDAR_APP_ANSWER_FIELDS_H_
#define CEDAR_APP_ANSWER_FIELDS_H_

// What the body of a request says about its answer: length, sampling, stops, log-probabilities.

#include <cstdint>
#include <optional>
#include <string>

#include "app/answer_defaults.h"
#include "app/answer_options.h"
#include "app/json_fields.h"

namespace cedar {

// Length, sampling, penalties and stops. max_tokens is 0 where neither the body nor the defaults
// say anything. `digest` is the seed of a request without one; may_be_empty: max_tokens may be 0,
// which asks for no answer (prompt_only).
AnswerOptions TakeAnswerOptions(JsonFields& body, const AnswerDefaults& defaults, uint64_t digest,
                                size_t vocab, bool may_be_empty);

}  // namespace cedar

#endif  // CEDAR_APP_ANSWER_FIELDS_H_
