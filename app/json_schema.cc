#include "app/json_schema.h"

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/json_grammar.h"
#include "simd/error.h"

namespace cedar {
namespace {

using Json = nlohmann::ordered_json;
using Node = Grammar::Node;  // of a schema's values

// Keywords that say nothing about which values are valid, and those that only hold definitions.
constexpr std::array<std::string_view, 11> kAnnotations = {
    "$schema",     "$id",     "$comment", "$defs",    "definitions", "title",
    "description", "default", "examples", "readOnly", "deprecated"};
// Grammars call themselves once for each property that may be left out, and for each schema within
// a schema or behind a $ref.
constexpr size_t kMostProperties = 1000;
constexpr size_t kMostLevels = 500;
// JSON numbers of more digits are not made (app/json_grammar.h).
constexpr int64_t kLargestLimit = 999'999'999'999'999'999;

constexpr int64_t kMostItems = 100'000;

constexpr std::array<std::string_view, 7> kTypes = {"object",  "array",   "string", "number",
                                                    "integer", "boolean", "null"};

// A whole number from -limit to limit.
bool IsWithin(const Json& value, int64_t limit) {
  if (value.is_number_unsigned()) return value.get<uint64_t>() <= static_cast<uint64_t>(limit);
  return value.is_number_integer() && value.get<int64_t>() >= -limit;
}

bool IsAnnotation(std::string_view key) {
  return std::find(kAnnotations.begin(), kAnnotations.end(), key) != kAnnotations.end();
}

}  // namespace

class SchemaCompiler {
 public:
  SchemaCompiler(const Json& document, Grammar& grammar)
      : document_(document), g_(grammar), json_(grammar) {}

  Node Compile() { return Value(document_, "#"); }

  std::set<std::string> CheckObject() const {
    if (!document_.is_object()) Fail("#", "found " + document_.dump() + ", expected an object");
    Allow(document_, "#", {"type", "properties", "required", "additionalProperties"});
    if (document_.value("type", Json("object")) != "object") {
      Fail("#", "type: found " + document_["type"].dump() + ", expected \"object\"");
    }
    return Required(document_, "#");
  }

  // A chain that is longer than there are levels leads back to itself.
  const Json& Resolve(const Json& schema, const std::string& place) const {
    const Json* target = &schema;
    for (size_t i = 0; i < kMostLevels && target->is_object() && target->contains("$ref"); ++i) {
      target = &Target(*target, place);
    }
    return *target;
  }

  Node Value(const Json& schema, const std::string& place) {
    if (level_ == kMostLevels) {
      Fail(place, "schemas within schemas: more than " + std::to_string(kMostLevels) + " levels");
    }
    ++level_;
    const Node node = AnyValue(schema, place);
    --level_;
    return node;
  }

 private:
  [[noreturn]] static void Fail(const std::string& place, const std::string& what) {
    throw Error(ErrorKind::kInput, "JSON schema, " + place + ": " + what);
  }

  // Nothing but these keywords and annotations may stand in the schema.
  static void Allow(const Json& schema, const std::string& place,
                    std::initializer_list<std::string_view> keys) {
    for (const auto& [key, value] : schema.items()) {
      if (IsAnnotation(key) || std::find(keys.begin(), keys.end(), key) != keys.end()) continue;
      Fail(place, "\"" + key + "\" is not supported here");
    }
  }

  Node AnyValue(const Json& schema, const std::string& place) {
    if (schema == Json(true)) return json_.Any();
    if (!schema.is_object()) Fail(place, "found " + schema.dump() + ", expected an object or true");
    if (schema.contains("$ref")) return Reference(schema, place);
    if (schema.contains("anyOf")) return AnyOf(schema, place);
    if (schema.contains("enum") || schema.contains("const")) return Constants(schema, place);
    if (schema.contains("type")) return OfTypes(schema, place);
    // Without a type, keywords of one type would leave all other types open.
    if (schema.contains("properties")) return Object(schema, place);
    if (schema.contains("items")) return Array(schema, place);
    Allow(schema, place, {});
    return json_.Any();
  }

  Node Reference(const Json& schema, const std::string& place) {
    const Json& target = Target(schema, place);
    const std::string name = schema["$ref"];
    if (const auto known = rules_.find(name); known != rules_.end()) return known->second;
    GrammarNode* const rule = g_.DeclareRule();
    rules_[name] = rule;
    rule->parts = {Value(target, name)};
    return rule;
  }

  // Where a $ref leads.
  const Json& Target(const Json& schema, const std::string& place) const {
    Allow(schema, place, {"$ref"});
    const Json& ref = schema["$ref"];
    if (!ref.is_string() || !ref.get_ref<const std::string&>().starts_with("#")) {
      Fail(place, "$ref " + ref.dump() + ": expected a place within the document (#/...)");
    }
    const std::string name = ref;
    try {
      return document_.at(Json::json_pointer(name.substr(1)));
    } catch (const nlohmann::json::exception&) {
      Fail(place, "$ref \"" + name + "\": there is no such place");
    }
  }

  Node AnyOf(const Json& schema, const std::string& place) {
    Allow(schema, place, {"anyOf"});
    const Json& options = schema["anyOf"];
    if (!options.is_array() || options.empty()) Fail(place, "anyOf: expected a list of schemas");
    std::vector<Node> choices;
    for (size_t i = 0; i < options.size(); ++i) {
      choices.push_back(Value(options[i], place + "/anyOf/" + std::to_string(i)));
    }
    return g_.Choice(std::move(choices));
  }

  Node Constants(const Json& schema, const std::string& place) {
    Allow(schema, place, {"enum", "const", "type"});
    Json values = Json::array();
    if (schema.contains("const")) {
      values.push_back(schema["const"]);
    } else if (schema["enum"].is_array()) {
      values = schema["enum"];
    }
    std::vector<Node> choices;
    for (const Json& value : values) {
      if (schema.contains("type") && !HasType(value, schema["type"])) continue;
      choices.push_back(g_.Literal(value.dump()));
    }
    if (choices.empty()) Fail(place, "no value is allowed");
    return g_.Choice(std::move(choices));
  }

  static bool HasType(const Json& value, const Json& type) {
    if (type.is_array()) {
      return std::any_of(type.begin(), type.end(),
                         [&](const Json& one) { return HasType(value, one); });
    }
    if (type == "integer") return value.is_number_integer();
    return type == Json(value.type_name());
  }

  Node OfTypes(const Json& schema, const std::string& place) {
    const Json& type = schema["type"];
    if (type.is_string()) return OfType(type, schema, place);
    if (!type.is_array() || type.empty()) Fail(place, "type: found " + type.dump());
    std::vector<Node> choices;
    for (const Json& one : type) {
      if (!one.is_string()) Fail(place, "type: found " + one.dump());
      choices.push_back(OfType(one, Restricted(schema, one), place));
    }
    return g_.Choice(std::move(choices));
  }

  // The part of a schema of several types that is about one of them.
  static Json Restricted(const Json& schema, const std::string& type) {
    static constexpr std::array<std::pair<std::string_view, std::string_view>, 8> kOwner = {
        {{"properties", "object"},
         {"required", "object"},
         {"additionalProperties", "object"},
         {"items", "array"},
         {"minItems", "array"},
         {"maxItems", "array"},
         {"minimum", "integer"},
         {"maximum", "integer"}}};
    Json part = schema;
    for (const auto& [key, owner] : kOwner) {
      if (owner != type && !(owner == "integer" && type == "number")) part.erase(std::string(key));
    }
    return part;
  }

  Node OfType(const std::string& type, const Json& schema, const std::string& place) {
    if (std::find(kTypes.begin(), kTypes.end(), type) == kTypes.end()) {
      Fail(place, "type: found \"" + type + "\"");
    }
    if (type == "object") return Object(schema, place);
    if (type == "array") return Array(schema, place);
    if (type == "integer") return Integer(schema, place);
    Allow(schema, place, {"type"});
    if (type == "string") return json_.String();
    if (type == "number") return json_.Number();
    if (type == "null") return g_.Literal("null");
    return g_.Choice({g_.Literal("true"), g_.Literal("false")});
  }

  Node Integer(const Json& schema, const std::string& place) {
    Allow(schema, place, {"type", "minimum", "maximum"});
    const auto limit = [&](const char* key) -> std::optional<int64_t> {
      if (!schema.contains(key)) return std::nullopt;
      if (!IsWithin(schema[key], kLargestLimit)) {
        Fail(place, std::string(key) + ": found " + schema[key].dump() +
                        ", expected an integer of 18 digits at most");
      }
      return schema[key].get<int64_t>();
    };
    const std::optional<int64_t> least = limit("minimum"), most = limit("maximum");
    if (least && most && *least > *most) Fail(place, "minimum is above maximum");
    return json_.Integer(least, most);
  }

  Node Array(const Json& schema, const std::string& place) {
    Allow(schema, place, {"type", "items", "minItems", "maxItems"});
    const auto count = [&](const char* key, uint32_t otherwise) -> uint32_t {
      if (!schema.contains(key)) return otherwise;
      if (!schema[key].is_number_unsigned() || !IsWithin(schema[key], kMostItems)) {
        Fail(place, std::string(key) + ": found " + schema[key].dump() + ", expected 0 to " +
                        std::to_string(kMostItems));
      }
      return schema[key].get<uint32_t>();
    };
    const uint32_t least = count("minItems", 0);
    const uint32_t most = count("maxItems", GrammarNode::kNoLimit);
    if (least > most) Fail(place, "minItems is above maxItems");
    const Node item =
        schema.contains("items") ? Value(schema["items"], place + "/items") : json_.Any();
    return json_.Array(item, least, most);
  }

  Node Object(const Json& schema, const std::string& place) {
    Allow(schema, place, {"type", "properties", "required", "additionalProperties"});
    std::vector<std::pair<std::string, Node>> values;
    if (schema.contains("properties")) {
      if (!schema["properties"].is_object()) Fail(place, "properties: expected an object");
      for (const auto& [name, value] : schema["properties"].items()) {
        values.emplace_back(name, Value(value, place + "/properties/" + name));
      }
    }
    const std::set<std::string> required = Required(schema, place);
    const Node others = Others(schema, place);
    if (values.size() + required.size() > kMostProperties) {
      Fail(place, "found more than " + std::to_string(kMostProperties) + " properties");
    }
    for (const std::string& name : required) AddMissing(name, others, place, values);
    if (values.empty()) return others == nullptr ? json_.Object({}) : json_.ObjectOf(others);
    std::vector<JsonGrammar::Property> properties;
    for (const auto& [name, value] : values) {
      properties.push_back({name, value, required.contains(name)});
    }
    return json_.Object(properties);
  }

  static std::set<std::string> Required(const Json& schema, const std::string& place) {
    std::set<std::string> names;
    if (!schema.contains("required")) return names;
    if (!schema["required"].is_array()) Fail(place, "required: expected a list of names");
    for (const Json& name : schema["required"]) {
      if (!name.is_string()) Fail(place, "required: found " + name.dump());
      names.insert(name);
    }
    return names;
  }

  // What properties that are not listed may be; null for nothing.
  Node Others(const Json& schema, const std::string& place) {
    if (!schema.contains("additionalProperties")) return json_.Any();
    const Json& others = schema["additionalProperties"];
    if (others == Json(false)) return nullptr;
    return Value(others, place + "/additionalProperties");
  }

  // A property that is required but not listed.
  void AddMissing(const std::string& name, Node others, const std::string& place,
                  std::vector<std::pair<std::string, Node>>& values) {
    for (const auto& [known, value] : values) {
      if (known == name) return;
    }
    if (others == nullptr) Fail(place, "\"" + name + "\" is required but not allowed");
    values.emplace_back(name, others);
  }

  const Json& document_;
  Grammar& g_;
  JsonGrammar json_;
  std::map<std::string, Node> rules_;  // by $ref
  size_t level_ = 0;                   // schemas that are being compiled, each inside the last
};

SchemaValues::SchemaValues(const Json& document, Grammar& grammar)
    : compiler_(std::make_unique<SchemaCompiler>(document, grammar)) {}
SchemaValues::~SchemaValues() = default;

std::set<std::string> SchemaValues::CheckObject() const { return compiler_->CheckObject(); }

const Json& SchemaValues::Resolve(const Json& schema, const std::string& place) const {
  return compiler_->Resolve(schema, place);
}

Node SchemaValues::Of(const Json& schema, const std::string& place) {
  return compiler_->Value(schema, place);
}

std::unique_ptr<Grammar> GrammarOfSchema(const nlohmann::ordered_json& schema, size_t most_bytes) {
  auto grammar = std::make_unique<Grammar>(most_bytes);
  grammar->root = SchemaCompiler(schema, *grammar).Compile();
  if (grammar->HasEmptyLoop()) {
    throw Error(ErrorKind::kInput, "JSON schema: a $ref leads back to itself and to no value");
  }
  return grammar;
}

std::unique_ptr<Grammar> GrammarOfAnyObject() {
  auto grammar = std::make_unique<Grammar>();
  grammar->root = JsonGrammar(*grammar).AnyObject();
  return grammar;
}

}  // namespace cedar
