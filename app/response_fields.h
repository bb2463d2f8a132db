#ifndef CEDAR_APP_RESPONSE_FIELDS_H_
#define CEDAR_APP_RESPONSE_FIELDS_H_

// What the body of a request says about the response beside the answer itself, and about a prompt
// that is too long.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/json_fields.h"

namespace cedar {

struct ResponseFields {
  bool echo = false;        // completions: the prompt stands before the answer
  std::string before = {};  // chat: this does
  // Log-probabilities of the prompt's tokens, and of so many of the likeliest in their place.
  std::optional<size_t> prompt_logprobs;
  bool token_ids = false;      // of prompt and answer
  bool tokens_as_ids = false;  // log-probabilities name tokens by their ids
  bool reasoning = true;       // what was thought is shown
};

// body.prompt_logprobs, return_token_ids, return_tokens_as_token_ids and echo.
ResponseFields TakeResponseFields(JsonFields& body);

// How a prompt is cut.
struct Truncation {
  static constexpr size_t kToContext = SIZE_MAX;

  std::optional<size_t> tokens;  // most of them; kToContext: what the context has room for
  bool keep_front = false;       // its end is cut off

  void Cut(size_t most, std::vector<int32_t>& prompt) const;
};

// body.truncate_prompt_tokens (-1: to the context) and truncation_side.
Truncation TakeTruncation(JsonFields& body);

}  // namespace cedar

#endif  // CEDAR_APP_RESPONSE_FIELDS_H_
