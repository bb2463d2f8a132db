#ifndef CEDAR_APP_LOGPROB_FIELDS_H_
#define CEDAR_APP_LOGPROB_FIELDS_H_

// Log-probabilities as OpenAI's two kinds of answers show them.

#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <vector>

#include "app/token_chooser.h"
#include "weights/tokenizer.h"

namespace cedar {

// {"content": [{"token", "logprob", "bytes", "top_logprobs"}, ...]}
nlohmann::ordered_json ChatLogprobs(const Tokenizer& tokenizer,
                                    std::span<const ChosenToken> answer);

// {"tokens", "token_logprobs", "top_logprobs", "text_offset"}; prompt: the tokens that are echoed,
// with the log-probabilities of all but the first.
nlohmann::ordered_json CompletionLogprobs(const Tokenizer& tokenizer,
                                          std::span<const int32_t> prompt,
                                          std::span<const ChosenToken> prompt_logprobs,
                                          std::span<const ChosenToken> answer);

}  // namespace cedar

#endif  // CEDAR_APP_LOGPROB_FIELDS_H_
