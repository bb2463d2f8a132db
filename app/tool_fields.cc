// The tools that a request offers, and the calls of earlier turns.

#include <algorithm>
#include <string_view>
#include <utility>

#include "app/content_fields.h"
#include "app/json_text.h"
#include "app/message_fields.h"
#include "app/python_json.h"
#include "app/tool_names.h"
#include "simd/error.h"

namespace cedar {
namespace {

using Json = nlohmann::ordered_json;

// Refuses a member that is near a known one: a mistake would stand before the model as it is. Other
// members are told to it, as the release tells them.
void CheckFunction(const Json& function, const std::string& path) {
  std::vector<std::string_view> known;
  for (const FieldName& field : FunctionFields()) known.push_back(field.name);
  for (const auto& [name, value] : function.items()) {
    if (value.is_null() || std::find(known.begin(), known.end(), name) != known.end()) continue;
    const std::string_view nearest = NearestName(name, known);
    if (nearest.empty()) continue;
    throw Error(ErrorKind::kInput, path + "." + name + ": not supported; did you mean \"" +
                                       std::string(nearest) + "\"?");
  }
}

// A function under its full name; what its namespace says of itself stands before what it says.
Json Described(const Json& given, const std::string& name, const std::string& description) {
  Json function = Json::object();
  for (const auto& [member, value] : given.items()) {
    if (!value.is_null() && member != "namespace" && member != "cache_control") {
      function[member] = value;
    }
  }
  function["name"] = name;
  if (!description.empty()) {
    const Json own = function.value("description", Json(""));
    function["description"] = description + "\n" + (own.is_string() ? own.get<std::string>() : "");
  }
  return function;
}

// A function's name and arguments; `outer` holds it and may hold its namespace.
ToolCall ReadFunction(JsonFields& outer, const Json& object, const std::string& path) {
  JsonFields function(object, path);
  ToolCall out;
  std::string unused;
  out.name = TakeToolName(outer, function, unused);
  function.Ignore("parsed_arguments");  // what OpenAI's client makes of them
  const Json* const arguments = function.Take("arguments");
  if (!arguments) {
    out.arguments = "{}";
  } else {
    out.arguments = arguments->is_string() ? arguments->get<std::string>() : PythonJson(*arguments);
  }
  // What is no object is told to the model as it is (text.md, C.2); in one, no key may come twice.
  if (TryParseJson(out.arguments).is_object()) {
    ParseJson(out.arguments, function.PathOf("arguments"));
  }
  function.RefuseOthers();
  return out;
}

ToolCall ReadCall(const Json& call, const std::string& path) {
  JsonFields fields(call, path);
  fields.CheckNames({CallFields()});
  const std::string id = fields.TakeString("id").value_or("");
  ToolCall out = ReadFunction(fields, fields.Need("function"), fields.PathOf("function"));
  out.id = id;
  fields.RefuseOthers();
  return out;
}

}  // namespace

std::vector<std::string> TakeTools(JsonFields& body) {
  const Json* tools = body.Take("tools");
  if (!tools) return {};
  const std::string path = body.PathOf("tools");
  if (!tools->is_array()) FailField(path, *tools, "a list of tools");
  std::vector<std::string> out;
  for (size_t i = 0; i < tools->size(); ++i) {
    JsonFields fields((*tools)[i], ElementPath(path, i));
    fields.CheckNames({ToolFields()});
    const Json& function = fields.Need("function");
    JsonFields members(function, fields.PathOf("function"));
    std::string description;
    const std::string name = TakeToolName(fields, members, description);
    CheckFunction(function, fields.PathOf("function"));
    fields.RefuseOthers();
    out.push_back(PythonJson(Described(function, name, description)));
  }
  return out;
}

std::vector<ToolCall> TakeCallsOf(JsonFields& message) {
  std::vector<ToolCall> out;
  if (const Json* const call = message.Take("function_call")) {
    // The form of one call before there were several; its namespace stands in it.
    const Json nothing = Json::object();
    JsonFields outer(nothing, message.PathOf("function_call"));
    out.push_back(ReadFunction(outer, *call, message.PathOf("function_call")));
  }
  const Json* const calls = message.Take("tool_calls");
  if (!calls) return out;
  const std::string path = message.PathOf("tool_calls");
  if (!calls->is_array()) FailField(path, *calls, "a list of calls");
  if (!calls->empty() && !out.empty()) {
    FailField(message.PathOf("function_call"), Json::object(), "none beside tool_calls");
  }
  for (size_t i = 0; i < calls->size(); ++i) {
    out.push_back(ReadCall((*calls)[i], ElementPath(path, i)));
  }
  return out;
}

}  // namespace cedar
