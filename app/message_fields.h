#ifndef CEDAR_APP_MESSAGE_FIELDS_H_
#define CEDAR_APP_MESSAGE_FIELDS_H_

// The conversation in the body of a request: messages and tools. Every function throws Error
// (kInput) that names the field.

#include <string>
#include <vector>

#include "app/json_fields.h"
#include "app/message.h"

namespace cedar {

// The messages of body.messages; the last is unfinished where body.continue_final_message says so.
std::vector<Message> TakeMessages(JsonFields& body);

// body.add_generation_prompt: whether the prompt opens the assistant's turn (true).
bool TakeGenerationPrompt(JsonFields& body);

// The functions of body.tools, as JSON of one each, as the model reads them.
std::vector<std::string> TakeTools(JsonFields& body);

// tool_calls of an assistant's message, or function_call, its older form.
std::vector<ToolCall> TakeCallsOf(JsonFields& message);

}  // namespace cedar

#endif  // CEDAR_APP_MESSAGE_FIELDS_H_
