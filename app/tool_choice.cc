#include "app/tool_choice.h"

#include "app/json_text.h"
#include "app/tool_names.h"
#include "simd/error.h"

namespace cedar {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kSeveral = "parallel_tool_calls";

CallableTool ToolOf(const std::string& text) {
  const Json function = TryParseJson(text);  // our own text: it was read before
  CallableTool tool{function["name"], function.value("parameters", Json())};
  tool.strict = function.value("strict", Json()) == Json(true);
  return tool;
}

// The function that an object names.
std::string TakeName(const Json& given, const std::string& path) {
  if (!given.is_object()) {
    FailField(path, given, "\"auto\", \"none\", \"required\" or an object that names a function");
  }
  JsonFields fields(given, path);
  if (const std::string type = fields.NeedString("type"); type != "function") {
    FailField(fields.PathOf("type"), type, "\"function\"");
  }
  JsonFields function(fields.Need("function"), fields.PathOf("function"));
  std::string unused;
  const std::string name = TakeToolName(fields, function, unused);
  function.RefuseOthers();
  fields.RefuseOthers();
  return name;
}

}  // namespace

ToolChoice TakeToolChoice(JsonFields& body) {
  ToolChoice choice;
  choice.several = body.TakeBool(kSeveral).value_or(true);
  const Json* const given = body.Take("tool_choice");
  if (given == nullptr || *given == "auto") return choice;
  choice.none = *given == "none";
  choice.must_call = !choice.none;
  if (choice.must_call && *given != "required") {
    choice.name = TakeName(*given, body.PathOf("tool_choice"));
    choice.several = false;
  }
  return choice;
}

void CheckSeveral(const JsonFields& body, const ToolChoice& choice) {
  if (choice.several || choice.must_call || choice.none) return;
  FailField(body.PathOf(kSeveral), false,
            "true, or a tool_choice that forces a call: no other is held to one");
}

std::vector<CallableTool> CallableTools(std::span<const Message> messages, const ToolChoice& choice,
                                        const std::string& path) {
  std::vector<CallableTool> tools;
  std::string names;
  for (const Message& message : messages) {
    for (const std::string& text : message.tools) {
      CallableTool tool = ToolOf(text);
      names += (names.empty() ? "" : ", ") + tool.name;
      if (choice.name.empty() || choice.name == tool.name) tools.push_back(std::move(tool));
    }
  }
  if (names.empty()) {
    throw Error(ErrorKind::kInput, path + ": there are no tools to call");
  }
  if (tools.empty()) FailField(path + ".function.name", choice.name, "one of the tools: " + names);
  return tools;
}

}  // namespace cedar
