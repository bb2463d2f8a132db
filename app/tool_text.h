#ifndef CEDAR_APP_TOOL_TEXT_H_
#define CEDAR_APP_TOOL_TEXT_H_

// Tools in chat text: what the model reads about them, and its calls (text.md, C.2).

#include <span>
#include <string>
#include <string_view>

#include "app/message.h"
#include "app/prompt_writer.h"

namespace cedar {

// The block that explains calls and lists the functions; `tools`: JSON of one each. One that is no
// JSON object is an Error (kInput).
void WriteTools(std::span<const std::string> tools, PromptWriter& out);

// What follows a system prompt whose replies must follow a schema, given as JSON; damaged JSON is
// an Error (kInput).
void WriteReplySchema(const std::string& schema, PromptWriter& out);

// The calls of an assistant, at least one, with the empty line before them. Arguments that are no
// JSON object become one string parameter called "arguments".
void WriteCalls(std::span<const ToolCall> calls, PromptWriter& out);

// A tool's answer, as a part of the user's turn.
std::string ToolResult(std::string_view content);

}  // namespace cedar

#endif  // CEDAR_APP_TOOL_TEXT_H_
