#include "app/message_fields.h"

#include <array>
#include <utility>

#include "app/content_fields.h"

namespace cedar {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<std::pair<std::string_view, Role>, 7> kRoles = {
    {{"system", Role::kSystem},
     {"developer", Role::kSystem},
     {"user", Role::kUser},
     {"assistant", Role::kAssistant},
     {"tool", Role::kTool},
     {"function", Role::kTool},  // as it was called before there were tools
     {"latest_reminder", Role::kLatestReminder}}};

Role ReadRole(JsonFields& fields) {
  const std::string name = fields.NeedString("role");
  for (const auto& [known, role] : kRoles) {
    if (name == known) return role;
  }
  FailField(fields.PathOf("role"), name,
            "\"system\", \"developer\", \"user\", \"assistant\", \"tool\" or \"latest_reminder\"");
}

// The two names of what was thought.
std::string TakeReasoning(JsonFields& fields) {
  const auto old_name = fields.TakeString("reasoning_content");
  const auto new_name = fields.TakeString("reasoning");
  if (old_name && new_name && *old_name != *new_name) {
    FailField(fields.PathOf("reasoning"), *new_name, "the same as reasoning_content");
  }
  const std::string text = old_name ? *old_name : new_name.value_or("");
  // The same in other words; alone they are words that nobody reads.
  for (const char* name : {"reasoning_details", "thinking_blocks"}) {
    const Json* const also = fields.Take(name);
    if (also && !also->empty() && text.empty()) {
      FailField(fields.PathOf(name), *also, "what was thought as reasoning_content");
    }
  }
  return text;
}

void ReadAssistant(JsonFields& fields, Message& message) {
  message.reasoning = TakeReasoning(fields);
  message.unfinished = fields.TakeBool("prefix").value_or(false);
  message.calls = TakeCallsOf(fields);
  // Said instead of what was asked for.
  if (const auto refusal = fields.TakeString("refusal")) {
    const Json* const content = fields.Take("content");
    if (!refusal->empty() && content && !content->empty() && *content != "") {
      FailField(fields.PathOf("refusal"), *refusal, "null beside content");
    }
    message.content = *refusal;
  }
}

// Members that this role does not read, where they say nothing.
void IgnoreEmpty(const Json& object, JsonFields& fields) {
  for (const FieldName& field : MessageFields()) {
    const auto member = object.find(field.name);
    if (member == object.end() || field.kind != FieldKind::kUnderstood) continue;
    const bool is_empty =
        *member == "" || *member == false || (member->is_structured() && member->empty());
    if (is_empty) fields.Ignore(std::string(field.name));
  }
}

// An assistant that calls tools, or that only thought, may have nothing to say; so may a tool.
bool MayBeSilent(const Json& object, const Message& message) {
  const bool is_null = object.contains("content");  // the caller found no other
  if (message.role == Role::kTool) return is_null;
  if (message.role != Role::kAssistant) return false;
  return is_null || !message.calls.empty() || !message.reasoning.empty() ||
         !message.content.empty();
}

Message ReadMessage(const Json& object, const std::string& path) {
  JsonFields fields(object, path);
  fields.CheckNames({MessageFields()});
  Message message{ReadRole(fields), ""};
  if (message.role == Role::kAssistant) ReadAssistant(fields, message);
  if (message.role == Role::kTool) {
    message.call_id = fields.TakeString("tool_call_id").value_or("");
  }
  if (message.role == Role::kSystem) message.tools = TakeTools(fields);
  if (message.role == Role::kUser) message.task = fields.TakeString("task").value_or("");
  const Json* const content = fields.Take("content");
  if (!content && !MayBeSilent(object, message)) fields.Need("content");
  if (content && message.content.empty()) {
    message.content = ReadContent(*content, fields.PathOf("content"), message.role);
  }
  IgnoreEmpty(object, fields);
  fields.RefuseOthers();
  return message;
}

// What body.continue_final_message says of the last message.
void TakeContinuation(JsonFields& body, Message& last) {
  const std::string path = body.PathOf("continue_final_message");
  if (!body.TakeBool("continue_final_message").value_or(false)) return;
  if (body.TakeBool("add_generation_prompt").value_or(false)) {
    FailField(path, true, "false, as " + body.PathOf("add_generation_prompt") + " is true");
  }
  if (last.role != Role::kAssistant) {
    FailField(path, true, "false, or a last message of the assistant's");
  }
  last.unfinished = true;
}

}  // namespace

std::vector<Message> TakeMessages(JsonFields& body) {
  const Json& messages = body.Need("messages");
  const std::string path = body.PathOf("messages");
  if (!messages.is_array() || messages.empty()) FailField(path, messages, "a list of messages");
  std::vector<Message> out;
  for (size_t i = 0; i < messages.size(); ++i) {
    out.push_back(ReadMessage(messages[i], ElementPath(path, i)));
    if (out.back().unfinished && i + 1 < messages.size()) {
      FailField(ElementPath(path, i) + ".prefix", true, "false: only the last message may go on");
    }
  }
  TakeContinuation(body, out.back());
  if (out.back().role == Role::kAssistant && !out.back().unfinished && TakeGenerationPrompt(body)) {
    FailField(path, messages.back(),
              "a last message for the model to answer, or one of its own with \"prefix\": true");
  }
  return out;
}

bool TakeGenerationPrompt(JsonFields& body) {
  return body.TakeBool("add_generation_prompt").value_or(true);
}

}  // namespace cedar
