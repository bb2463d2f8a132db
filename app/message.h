#ifndef CEDAR_APP_MESSAGE_H_
#define CEDAR_APP_MESSAGE_H_

// A conversation, as requests give it. Every string is valid UTF-8 of any origin: none of it can
// become a control token.

#include <span>
#include <string>
#include <vector>

namespace cedar {

enum class Role { kSystem, kUser, kAssistant, kTool, kLatestReminder };

struct ToolCall {
  std::string id;  // by which a tool message refers to it
  std::string name;
  std::string arguments;  // JSON
};

struct Message {
  Role role;
  std::string content;
  std::string reasoning = {};  // of an assistant: what it thought before it answered

  std::vector<ToolCall> calls = {};  // of an assistant, after its content
  bool unfinished = false;           // of an assistant, the last message: the model goes on with it
  std::string call_id = {};          // of a tool: the call that it answers
  std::vector<std::string> tools = {};  // of a system message: JSON of a function each
  std::string reply_schema = {};  // of a system message: JSON that replies must follow, or empty
  std::string task = {};          // of a user message: "action", "query", ...; mostly empty
};

// The content of a message that comes in parts.
std::string JoinParts(std::span<const std::string> parts);

// Puts tools that a request gives beside its messages where the model expects them: into the
// leading system message, which is made if there is none. No tools: nothing changes.
void AttachTools(const std::vector<std::string>& tools, std::vector<Message>& messages);

}  // namespace cedar

#endif  // CEDAR_APP_MESSAGE_H_
