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

// How tokens are named.
struct TokenNames {
  const Tokenizer& tokenizer;
  bool as_ids = false;        // "token_id:5" instead of their text
  bool show_control = false;  // control tokens are text of the answer
};

// {"content": [{"token", "logprob", "bytes", "top_logprobs"}, ...]}
nlohmann::ordered_json ChatLogprobs(const TokenNames& names, std::span<const ChosenToken> answer);

// {"tokens", "token_logprobs", "top_logprobs", "text_offset"}; prompt: the tokens that are echoed,
// with the log-probabilities of all but the first; top: how many of the likeliest are shown.
// text_offset counts the characters of the text before a token.
nlohmann::ordered_json CompletionLogprobs(const TokenNames& names, std::span<const int32_t> prompt,
                                          std::span<const ChosenToken> prompt_logprobs,
                                          std::span<const ChosenToken> answer, size_t top);

// vLLM's prompt_logprobs: null for the first token, then for each {"ID": {"logprob", "rank",
// "decoded_token"}} of the token itself and of the `top` likeliest.
nlohmann::ordered_json PromptLogprobs(const Tokenizer& tokenizer,
                                      std::span<const ChosenToken> prompt_logprobs, size_t top);

}  // namespace cedar

#endif  // CEDAR_APP_LOGPROB_FIELDS_H_
