#include "app/tool_names.h"

#include <string_view>

namespace cedar {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kBetween = "::";

std::string ReadNamespace(const Json& space, const std::string& path, std::string& description) {
  if (space.is_string()) return space.get<std::string>();
  JsonFields fields(space, path);
  description = fields.TakeString("description").value_or("");
  const std::string name = fields.NeedString("name");
  fields.RefuseOthers();
  return name;
}

}  // namespace

ToolName SplitToolName(const std::string& name) {
  const size_t at = name.find(kBetween);
  if (at == name.npos) return {"", name};
  return {name.substr(0, at), name.substr(at + kBetween.size())};
}

std::string TakeToolName(JsonFields& outer, JsonFields& function, std::string& description) {
  const std::string given = function.NeedString("name");
  const ToolName split = SplitToolName(given);
  std::string space = split.space;
  for (JsonFields* fields : {&outer, &function}) {
    const Json* const object = fields->Take("namespace");
    if (object == nullptr) continue;
    const std::string path = fields->PathOf("namespace");
    const std::string name = ReadNamespace(*object, path, description);
    if (!space.empty() && name != space) FailField(path, name, "the namespace \"" + space + "\"");
    space = name;
  }
  if (split.name.find(kBetween) != split.name.npos || space.find(kBetween) != space.npos) {
    FailField(function.PathOf("name"), given, "one namespace at most");
  }
  return space.empty() ? split.name : space + std::string(kBetween) + split.name;
}

}  // namespace cedar
