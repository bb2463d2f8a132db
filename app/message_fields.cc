#include "app/message_fields.h"

#include <array>
#include <utility>

#include "app/json_text.h"
#include "app/python_json.h"
#include "app/tool_names.h"

namespace cedar {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<std::pair<std::string_view, Role>, 5> kRoles = {
    {{"system", Role::kSystem},
     {"user", Role::kUser},
     {"assistant", Role::kAssistant},
     {"tool", Role::kTool},
     {"latest_reminder", Role::kLatestReminder}}};

std::string Element(const std::string& path, size_t i) {
  return path + "[" + std::to_string(i) + "]";
}

// A part of a tool's result that is no text: the model only hears of it (text.md, C.2). Images are
// another matter: the model would see them, and we cannot.
bool IsUnsupportedPart(const std::string& type) {
  return type != "text" && type != "image" && type != "image_url";
}

// Text as a string, or as a list of parts {"type": "text", "text": ...}.
std::string ReadContent(const Json& content, const std::string& path, Role role) {
  if (content.is_string()) return content.get<std::string>();
  if (!content.is_array()) FailField(path, content, "a string or a list of text parts");
  std::vector<std::string> parts;
  for (size_t i = 0; i < content.size(); ++i) {
    JsonFields fields(content[i], Element(path, i));
    const std::string type = fields.NeedString("type");
    if (role == Role::kTool && IsUnsupportedPart(type)) {
      parts.push_back("[Unsupported " + type + "]");
      continue;
    }
    if (type != "text") FailField(fields.PathOf("type"), type, "\"text\"");
    parts.push_back(fields.NeedString("text"));
    fields.RefuseOthers();
  }
  return JoinParts(parts);
}

Role ReadRole(JsonFields& fields) {
  const std::string name = fields.NeedString("role");
  for (const auto& [known, role] : kRoles) {
    if (name == known) return role;
  }
  FailField(fields.PathOf("role"), name,
            "\"system\", \"user\", \"assistant\", \"tool\" or \"latest_reminder\"");
}

ToolCall ReadCall(const Json& call, const std::string& path) {
  JsonFields fields(call, path);
  ToolCall out;
  out.id = fields.TakeString("id").value_or("");
  fields.OnlyIf("type", "function");
  fields.Ignore("index");
  JsonFields function(fields.Need("function"), fields.PathOf("function"));
  std::string unused;
  out.name = TakeToolName(fields, function, unused);
  const Json& arguments = function.Need("arguments");
  out.arguments = arguments.is_string() ? arguments.get<std::string>() : PythonJson(arguments);
  // What is no object is told to the model as it is (text.md, C.2); in one, no key may come twice.
  if (TryParseJson(out.arguments).is_object()) {
    ParseJson(out.arguments, function.PathOf("arguments"));
  }
  function.RefuseOthers();
  fields.RefuseOthers();
  return out;
}

void ReadAssistant(JsonFields& fields, Message& message) {
  message.reasoning = fields.TakeString("reasoning_content").value_or("");
  message.unfinished = fields.TakeBool("prefix").value_or(false);
  fields.OnlyIf("refusal", nullptr);
  const Json* calls = fields.Take("tool_calls");
  if (!calls) return;
  const std::string path = fields.PathOf("tool_calls");
  if (!calls->is_array()) FailField(path, *calls, "a list of calls");
  for (size_t i = 0; i < calls->size(); ++i) {
    message.calls.push_back(ReadCall((*calls)[i], Element(path, i)));
  }
}

Message ReadMessage(const Json& object, const std::string& path) {
  JsonFields fields(object, path);
  Message message{ReadRole(fields), ""};
  if (message.role == Role::kAssistant) ReadAssistant(fields, message);
  if (message.role == Role::kTool) {
    message.call_id = fields.TakeString("tool_call_id").value_or("");
  }
  if (message.role == Role::kSystem) message.tools = TakeTools(fields);
  if (message.role == Role::kUser) message.task = fields.TakeString("task").value_or("");
  // Only an assistant that calls tools may have nothing to say.
  const Json* content = message.calls.empty() ? &fields.Need("content") : fields.Take("content");
  if (content) message.content = ReadContent(*content, fields.PathOf("content"), message.role);
  fields.RefuseOthers();
  return message;
}

}  // namespace

std::vector<Message> TakeMessages(JsonFields& body) {
  const Json& messages = body.Need("messages");
  const std::string path = body.PathOf("messages");
  if (!messages.is_array() || messages.empty()) FailField(path, messages, "a list of messages");
  std::vector<Message> out;
  for (size_t i = 0; i < messages.size(); ++i) {
    out.push_back(ReadMessage(messages[i], Element(path, i)));
    if (out.back().unfinished && i + 1 < messages.size()) {
      FailField(Element(path, i) + ".prefix", true, "false: only the last message may go on");
    }
  }
  if (out.back().role == Role::kAssistant && !out.back().unfinished) {
    FailField(path, messages.back(),
              "a last message for the model to answer, or one of its own with \"prefix\": true");
  }
  return out;
}

namespace {

// A function under its full name; what its namespace says of itself stands before what it says.
Json Described(Json function, const std::string& name, const std::string& description) {
  function["name"] = name;
  function.erase("namespace");
  if (!description.empty()) {
    const Json own = function.value("description", Json(""));
    function["description"] = description + "\n" + (own.is_string() ? own.get<std::string>() : "");
  }
  return function;
}

}  // namespace

std::vector<std::string> TakeTools(JsonFields& body) {
  const Json* tools = body.Take("tools");
  if (!tools) return {};
  const std::string path = body.PathOf("tools");
  if (!tools->is_array()) FailField(path, *tools, "a list of tools");
  std::vector<std::string> out;
  for (size_t i = 0; i < tools->size(); ++i) {
    JsonFields fields((*tools)[i], Element(path, i));
    fields.OnlyIf("type", "function");
    const Json& function = fields.Need("function");
    JsonFields members(function, fields.PathOf("function"));
    std::string description;
    const std::string name = TakeToolName(fields, members, description);
    fields.RefuseOthers();
    out.push_back(PythonJson(Described(function, name, description)));
  }
  return out;
}

}  // namespace cedar
