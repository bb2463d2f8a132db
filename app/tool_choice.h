#ifndef CEDAR_APP_TOOL_CHOICE_H_
#define CEDAR_APP_TOOL_CHOICE_H_

// Which tools the model may call, and which it must.

#include <span>
#include <string>
#include <vector>

#include "app/call_grammar.h"
#include "app/json_fields.h"
#include "app/message.h"

namespace cedar {

struct ToolChoice {
  bool none = false;
  bool must_call = false;  // any of the tools, or
  std::string name;        // just this one, once
  bool several = true;     // calls in one answer, where any tool will do
};

// body.tool_choice: "auto" (also where it is absent), "none", "required", or {"type": "function",
// "function": {"name": ...}}; and body.parallel_tool_calls. Throws Error (kInput) that names the
// field.
ToolChoice TakeToolChoice(JsonFields& body);

// One call at most can be promised where calls are forced, and where there are none. Throws Error
// (kInput) that names body.parallel_tool_calls if the model is free to call as it wants.
void CheckSeveral(const JsonFields& body, const ToolChoice& choice);

// The tools of a conversation that a choice leaves; path: of the choice, for messages. None left:
// Error (kInput).
std::vector<CallableTool> CallableTools(std::span<const Message> messages, const ToolChoice& choice,
                                        const std::string& path);

}  // namespace cedar

#endif  // CEDAR_APP_TOOL_CHOICE_H_
