#include "tests/app/random_schema.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace cedar::test {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kDeepest = 3;

size_t Below(Random& random, size_t n) { return random.Next() % n; }
bool OneIn(Random& random, size_t n) { return Below(random, n) == 0; }

// Names that JSON has to escape are among them.
std::string Name(Random& random) {
  const std::vector<std::string> names = {"a",  "name", "pounds", "two words", "quote\"", "back\\",
                                          "ü€", "",     "line\n", "type",      "$ref"};
  return names[Below(random, names.size())];
}

Json Constant(Random& random) {
  const std::vector<Json> values = {nullptr,   true, -7, 0,          1.5,      "rope",
                                    "q\"\\\n", "é",  "", {{"k", 1}}, {1, "x"}, Json::array()};
  return values[Below(random, values.size())];
}

Json Integer(Random& random) {
  Json schema = {{"type", "integer"}};
  const int64_t wide = OneIn(random, 3) ? 1'000'000'000'000 : 300;
  const int64_t low = static_cast<int64_t>(Below(random, 2 * wide)) - wide;
  if (!OneIn(random, 3)) schema["minimum"] = low;
  if (!OneIn(random, 3)) schema["maximum"] = low + static_cast<int64_t>(Below(random, wide));
  return schema;
}

Json Schema(Random& random, int depth);

Json Array(Random& random, int depth) {
  Json schema = {{"type", "array"}};
  if (!OneIn(random, 5)) schema["items"] = Schema(random, depth + 1);
  const size_t least = Below(random, 3);
  if (least > 0) schema["minItems"] = least;
  if (!OneIn(random, 4)) schema["maxItems"] = least + Below(random, 3);
  return schema;
}

Json Object(Random& random, int depth) {
  Json schema = {{"type", "object"}};
  const size_t count = Below(random, 5);
  for (size_t i = 0; i < count; ++i) {
    const std::string name = Name(random);
    schema["properties"][name] = Schema(random, depth + 1);
    if (OneIn(random, 2)) schema["required"].push_back(name);
  }
  switch (Below(random, 3)) {
    case 0:
      schema["additionalProperties"] = false;
      break;
    case 1:
      schema["additionalProperties"] = Schema(random, depth + 1);
      break;
    default:
      if (OneIn(random, 3)) schema["required"].push_back("not listed");
  }
  return schema;
}

Json Simple(Random& random) {
  switch (Below(random, 6)) {
    case 0:
      return {{"type", "string"}};
    case 1:
      return {{"type", OneIn(random, 2) ? "boolean" : "number"}};
    case 2:
      return {{"const", Constant(random)}};
    case 3:
      return {{"enum", {Constant(random), Constant(random), Constant(random)}}};
    case 4:
      return {{"type", Json::array({"null", "string", "integer"})}, {"title", "any of three"}};
    default:
      return Integer(random);
  }
}

Json Schema(Random& random, int depth) {
  if (depth >= kDeepest) return Simple(random);
  switch (Below(random, 6)) {
    case 0:
    case 1:
      return Object(random, depth);
    case 2:
      return Array(random, depth);
    case 3:
      return {{"anyOf", {Schema(random, depth + 1), Schema(random, depth + 1)}}};
    case 4:
      return {{"$ref", OneIn(random, 2) ? "#/$defs/list" : "#/$defs/leaf"}};
    default:
      return Simple(random);
  }
}

bool HasType(const Json& value, const std::string& type) {
  if (type == "integer") {
    return value.is_number() && std::floor(value.get<double>()) == value.get<double>();
  }
  return type == value.type_name();
}

bool HasOneType(const Json& value, const Json& type) {
  if (type.is_string()) return HasType(value, type);
  return std::any_of(type.begin(), type.end(), [&](const Json& t) { return HasType(value, t); });
}

// Members of an object in any order.
bool Equal(const Json& a, const Json& b) { return nlohmann::json(a) == nlohmann::json(b); }

std::string ObjectViolation(const Json& schema, const Json& value, const Json& document) {
  for (const Json& name : schema.value("required", Json::array())) {
    if (!value.contains(name.get<std::string>())) return "lacks " + name.dump();
  }
  const Json properties = schema.value("properties", Json::object());
  for (const auto& [name, member] : value.items()) {
    const Json others = schema.value("additionalProperties", Json(true));
    const Json& rule = properties.contains(name) ? properties[name] : others;
    const std::string violation = Violation(rule, member, document);
    if (!violation.empty()) return name + ": " + violation;
  }
  return "";
}

std::string ArrayViolation(const Json& schema, const Json& value, const Json& document) {
  if (value.size() < schema.value("minItems", size_t{0})) return "too few items";
  if (value.size() > schema.value("maxItems", value.size())) return "too many items";
  for (const Json& item : value) {
    const std::string violation = Violation(schema.value("items", Json(true)), item, document);
    if (!violation.empty()) return "item: " + violation;
  }
  return "";
}

std::string NumberViolation(const Json& schema, const Json& value) {
  if (schema.contains("minimum") && value < schema["minimum"]) return "below the minimum";
  if (schema.contains("maximum") && value > schema["maximum"]) return "above the maximum";
  return "";
}

bool MatchesOne(const Json& options, const Json& value, const Json& document) {
  return std::any_of(options.begin(), options.end(), [&](const Json& option) {
    return Violation(option, value, document).empty();
  });
}

}  // namespace

Json RandomSchema(Random& random) {
  Json schema = OneIn(random, 4) ? Schema(random, 0) : Object(random, 0);
  schema["$defs"]["leaf"] = Simple(random);
  schema["$defs"]["list"] = {
      {"type", "object"},
      {"properties",
       {{"v", {{"$ref", "#/$defs/leaf"}}},
        {"next", {{"anyOf", {{{"type", "null"}}, {{"$ref", "#/$defs/list"}}}}}}}},
      {"required", {"v", "next"}},
      {"additionalProperties", false}};
  return schema;
}

std::string Violation(const Json& schema, const Json& value, const Json& document) {
  if (schema.is_boolean()) return schema == Json(true) ? "" : "nothing is allowed";
  if (schema.contains("$ref")) {
    const std::string name = schema["$ref"];
    return Violation(document.at(Json::json_pointer(name.substr(1))), value, document);
  }
  if (schema.contains("anyOf") && !MatchesOne(schema["anyOf"], value, document)) {
    return "none of anyOf";
  }
  if (schema.contains("const") && !Equal(value, schema["const"])) return "not the constant";
  if (schema.contains("enum")) {
    const Json& values = schema["enum"];
    const auto equal = [&](const Json& one) { return Equal(value, one); };
    if (std::none_of(values.begin(), values.end(), equal)) return "none of enum";
  }
  if (schema.contains("type") && !HasOneType(value, schema["type"])) return "another type";
  if (value.is_object()) return ObjectViolation(schema, value, document);
  if (value.is_array()) return ArrayViolation(schema, value, document);
  return value.is_number() ? NumberViolation(schema, value) : "";
}

}  // namespace cedar::test
