#ifndef CEDAR_APP_TOOL_NAMES_H_
#define CEDAR_APP_TOOL_NAMES_H_

// Names of tools in namespaces: "space::name" as the model reads and writes them, apart in requests
// and answers (text.md, C.2 and C.4).

#include <nlohmann/json.hpp>
#include <string>

#include "app/json_fields.h"

namespace cedar {

struct ToolName {
  std::string space;  // empty: none
  std::string name;
};

ToolName SplitToolName(const std::string& name);

// The "space::name" of a tool or call whose own name this is, with the `namespace` that stands
// beside the name or beside the function: a name, or an object of a name and a description. Two
// that differ, or "::" in a name, are an Error (kInput). description: that of the namespace, or
// empty.
std::string TakeToolName(JsonFields& outer, JsonFields& function, std::string& description);

}  // namespace cedar

#endif  // CEDAR_APP_TOOL_NAMES_H_
