#include "app/tool_choice.h"

#include <algorithm>

#include "app/json_text.h"
#include "app/tool_names.h"
#include "simd/error.h"

namespace cedar {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kSeveral = "parallel_tool_calls";

CallableTool ToolOf(const std::string& text) {
  const Json function = TryParseJson(text);  // our own text: it was read before
  return {function["name"], function.value("parameters", Json())};
}

bool Has(const Json& object, const char* name) { return !object.value(name, Json()).is_null(); }

// The object of that name, or the one that it should stand in.
JsonFields Inside(JsonFields& outer, const Json& object, const char* name,
                  const std::string& path) {
  if (Has(object, name)) return JsonFields(outer.Need(name), outer.PathOf(name));
  return JsonFields(object, path);
}

// The function that an object names.
ToolChoice::Name TakeName(const Json& given, const std::string& path) {
  JsonFields fields(given, path);
  if (const std::string type = fields.NeedString("type"); type != "function") {
    FailField(fields.PathOf("type"), type, "\"function\"");
  }
  if (!Has(given, "function") && !Has(given, "name")) fields.Need("function");
  JsonFields function = Inside(fields, given, "function", path);
  function.Ignore(Has(given, "function") ? "name" : "type");
  std::string unused;
  const std::string name = TakeToolName(fields, function, unused);
  function.RefuseOthers();
  if (Has(given, "function")) fields.RefuseOthers();
  return {name, function.PathOf("name")};
}

// {"mode", "tools"}
void TakeAllowed(const Json& given, const std::string& path, ToolChoice& choice) {
  JsonFields fields(given, path);
  fields.Ignore("type");
  JsonFields allowed = Inside(fields, given, "allowed_tools", path);
  allowed.Ignore("type");
  const std::string mode = allowed.TakeString("mode").value_or("auto");
  if (mode != "auto" && mode != "required") {
    FailField(allowed.PathOf("mode"), mode, "\"auto\" or \"required\"");
  }
  choice.must_call = mode == "required";
  const Json& tools = allowed.Need("tools");
  if (!tools.is_array() || tools.empty()) {
    FailField(allowed.PathOf("tools"), tools, "a list of tools");
  }
  for (size_t i = 0; i < tools.size(); ++i) {
    choice.names.push_back(
        TakeName(tools[i], allowed.PathOf("tools") + "[" + std::to_string(i) + "]"));
  }
  allowed.RefuseOthers();
  if (Has(given, "allowed_tools")) fields.RefuseOthers();
}

void TakeObject(const Json& given, const std::string& path, ToolChoice& choice) {
  if (!given.is_object()) {
    FailField(path, given, "\"auto\", \"none\", \"required\" or an object that names functions");
  }
  if (given.value("type", Json()) == "allowed_tools") {
    TakeAllowed(given, path, choice);
    return;
  }
  choice.must_call = true;
  choice.names.push_back(TakeName(given, path));
  choice.several = false;
}

}  // namespace

ToolChoice TakeToolChoice(JsonFields& body) {
  ToolChoice choice;
  choice.several = body.TakeBool(kSeveral).value_or(true);
  const Json* const given = body.Take("tool_choice");
  if (given == nullptr || *given == "auto") return choice;
  choice.none = *given == "none";
  choice.must_call = *given == "required";
  if (!choice.none && !choice.must_call) TakeObject(*given, body.PathOf("tool_choice"), choice);
  return choice;
}

std::vector<CallableTool> CallableTools(std::span<const Message> messages, const ToolChoice& choice,
                                        const std::string& path) {
  std::vector<CallableTool> all;
  std::string names;
  for (const Message& message : messages) {
    for (const std::string& text : message.tools) {
      all.push_back(ToolOf(text));
      names += (names.empty() ? "" : ", ") + all.back().name;
    }
  }
  if (all.empty()) throw Error(ErrorKind::kInput, path + ": there are no tools to call");
  if (choice.names.empty()) return all;
  std::vector<CallableTool> tools;
  for (const auto& [name, place] : choice.names) {
    const auto known = std::find_if(all.begin(), all.end(),
                                    [&](const CallableTool& tool) { return tool.name == name; });
    if (known == all.end()) FailField(place, name, "one of the tools: " + names);
    tools.push_back(*known);
  }
  return tools;
}

}  // namespace cedar
