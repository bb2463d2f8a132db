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
  // Of one tool that may be called, and the path of what says so.
  struct Name {
    std::string name, path;
  };

  bool none = false;
  bool must_call = false;
  std::vector<Name> names;  // tools that may be called; empty: all
  bool several = true;      // calls in one answer

  // Whether not all calls will do.
  bool IsNarrow() const { return !names.empty() || !several; }
};

// body.tool_choice: "auto" (also where it is absent), "none", "required", {"type": "function",
// "function": {"name": ...}}: this one, once; or {"type": "allowed_tools", "allowed_tools":
// {"mode": "auto" or "required", "tools": [...]}}; and body.parallel_tool_calls. What is inside of
// function and of allowed_tools may stand beside the type instead. Throws Error (kInput) that names
// the field.
ToolChoice TakeToolChoice(JsonFields& body);

// The tools of a conversation that a choice leaves; path: of the choice, for messages. None left:
// Error (kInput).
std::vector<CallableTool> CallableTools(std::span<const Message> messages, const ToolChoice& choice,
                                        const std::string& path);

}  // namespace cedar

#endif  // CEDAR_APP_TOOL_CHOICE_H_
