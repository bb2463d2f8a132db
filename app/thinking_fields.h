#ifndef CEDAR_APP_THINKING_FIELDS_H_
#define CEDAR_APP_THINKING_FIELDS_H_

// What the body of a request says about thinking, in the ways of several servers.

#include <cstddef>
#include <optional>

#include "app/answer_defaults.h"
#include "app/chat_format.h"
#include "app/json_fields.h"

namespace cedar {

struct ThinkingFields {
  ChatOptions chat;
  std::optional<size_t> max_thinking;  // tokens; then </think> is forced
  bool is_shown = true;                // in the answer
};

// body.reasoning_effort, reasoning, thinking, enable_thinking, thinking_token_budget,
// thinking_budget, include_reasoning and chat_template_kwargs. Where nothing is said the defaults
// count. An effort has no effect without thinking. Two fields that contradict each other are an
// Error (kInput) that names both.
ThinkingFields TakeThinking(JsonFields& body, const AnswerDefaults& defaults);

}  // namespace cedar

#endif  // CEDAR_APP_THINKING_FIELDS_H_
