// Keywords of one type.

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "app/schema_normaliser.h"
#include "simd/error.h"

namespace cedar {
namespace {

using Json = nlohmann::ordered_json;

constexpr uint64_t kMostItems = 100'000;
// Grammars call themselves once for each property that may be left out.
constexpr size_t kMostProperties = 1000;

// Formats of numbers; on a string they say nothing about its text.
constexpr auto kStored =
    std::to_array<std::string_view>({"int8", "int16", "int32", "int64", "uint8", "uint16", "uint32",
                                     "uint64", "float", "double", "decimal"});

bool HasAny(const Json& schema, std::initializer_list<const char*> keys) {
  return std::any_of(keys.begin(), keys.end(),
                     [&](const char* key) { return schema.contains(key); });
}

}  // namespace

// A whole number, however it is written.
uint64_t SchemaNormaliser::CountAt(SchemaPlace place, std::string_view key, uint64_t otherwise) {
  const Json& schema = document_.SchemaOf(place);
  const auto found = schema.find(std::string(key));
  if (found == schema.end()) return otherwise;
  if (found->is_number_unsigned()) return found->get<uint64_t>();
  const double count = found->is_number_float() ? found->get<double>() : -1;
  if (!(count >= 0 && count < 1e15 && count == std::floor(count))) {
    document_.Fail(place, std::string(key) + ": found " + found->dump() + ", expected a count");
  }
  return static_cast<uint64_t>(count);
}

std::vector<std::string> SchemaNormaliser::NamesAt(SchemaPlace place, const Json& list,
                                                   std::string_view key) {
  if (!list.is_array()) document_.Fail(place, std::string(key) + ": expected a list of names");
  std::vector<std::string> names;
  std::set<std::string> seen;
  for (const Json& name : list) {
    if (!name.is_string()) document_.Fail(place, std::string(key) + ": found " + name.dump());
    if (seen.insert(name).second) names.push_back(name);
  }
  return names;
}

const Json* SchemaNormaliser::ObjectAt(SchemaPlace place, std::string_view key) {
  const Json& schema = document_.SchemaOf(place);
  const auto found = schema.find(std::string(key));
  if (found == schema.end()) return nullptr;
  if (!found->is_object()) document_.Fail(place, std::string(key) + ": expected an object");
  return &*found;
}

Shapes SchemaNormaliser::Types(SchemaPlace place) {
  const Json& schema = document_.SchemaOf(place);
  const auto found = schema.find("type");
  if (found == schema.end()) return AnyShapes();
  const Json list = found->is_array() ? *found : Json::array({*found});
  if (list.empty()) document_.Fail(place, "type: found " + found->dump());
  Shapes shapes;
  bool any_number = false;
  for (const Json& name : list) {
    static const std::array<std::pair<const char*, JsonType>, 7> kNames = {
        {{"object", JsonType::kObject},
         {"array", JsonType::kArray},
         {"string", JsonType::kString},
         {"number", JsonType::kNumber},
         {"integer", JsonType::kNumber},
         {"boolean", JsonType::kBoolean},
         {"null", JsonType::kNull}}};
    const auto known = std::find_if(kNames.begin(), kNames.end(),
                                    [&](const auto& one) { return name == one.first; });
    if (known == kNames.end()) document_.Fail(place, "type: found " + name.dump());
    any_number = any_number || name == "number";
    const bool is_new = std::none_of(shapes.begin(), shapes.end(), [&](const Shape& shape) {
      return shape.type == known->second;
    });
    if (is_new) shapes.push_back({.type = known->second, .named = true});
  }
  for (Shape& shape : shapes) {
    shape.number.integer = shape.type == JsonType::kNumber && !any_number;
  }
  return shapes;
}

Shapes SchemaNormaliser::Constants(SchemaPlace place, std::string_view key) {
  const Json& given = document_.SchemaOf(place).at(std::string(key));
  if (key == "enum" && (!given.is_array() || given.empty())) {
    document_.Fail(place, "enum: expected a list of values");
  }
  Shapes shapes;
  std::set<std::string> seen;
  const auto add = [&](const Json& value) {
    if (!seen.insert(KeyOf(value)).second) return;
    const JsonType type = TypeOf(value);
    auto shape = std::find_if(shapes.begin(), shapes.end(),
                              [&](const Shape& one) { return one.type == type; });
    if (shape == shapes.end()) {
      shapes.push_back({.type = type, .named = true});
      shape = shapes.end() - 1;
      shape->values.emplace();
    }
    shape->values->push_back(&value);
  };
  if (key == "const") {
    add(given);
  } else {
    for (const Json& value : given) add(value);
  }
  return shapes;
}

void SchemaNormaliser::Read(SchemaPlace place, Shape& shape) {
  const Json& schema = document_.SchemaOf(place);
  switch (shape.type) {
    case JsonType::kString:
      return ReadString(place, shape);
    case JsonType::kNumber:
      return ReadNumber(place, shape);
    case JsonType::kArray:
      if (!HasAny(schema, {"items", "prefixItems", "additionalItems", "minItems", "maxItems",
                           "uniqueItems", "contains"})) {
        return;
      }
      shape.named = true;
      return ReadArray(place, shape.array);
    case JsonType::kObject:
      if (!HasAny(schema, {"properties", "required", "additionalProperties", "patternProperties",
                           "propertyNames", "minProperties", "maxProperties"})) {
        return;
      }
      shape.named = true;
      return ReadObject(place, shape.object);
    default:
      return;
  }
}

std::string SchemaNormaliser::PatternAt(SchemaPlace place, const std::string& pattern) {
  try {
    FollowsRule(StringRule{.patterns = {pattern}}, "");
  } catch (const Error& error) {
    document_.Fail(place, error.what());
  }
  return pattern;
}

void SchemaNormaliser::ReadString(SchemaPlace place, Shape& shape) {
  const Json& schema = document_.SchemaOf(place);
  StringRule& rule = shape.string;
  rule.min_length = CountAt(place, "minLength", 0);
  if (schema.contains("maxLength")) rule.max_length = CountAt(place, "maxLength", 0);
  for (const char* key : {"pattern", "format"}) {
    const auto found = schema.find(key);
    if (found == schema.end()) continue;
    if (!found->is_string()) {
      document_.Fail(place, std::string(key) + ": found " + found->dump() + ", expected a text");
    }
    const bool is_pattern = key == std::string_view("pattern");
    if (!is_pattern && std::find(kStored.begin(), kStored.end(), *found) != kStored.end()) continue;
    (is_pattern ? rule.patterns : rule.formats).push_back(*found);
  }
  shape.named =
      shape.named || HasAny(schema, {"minLength", "maxLength", "pattern"}) || !rule.formats.empty();
}

void SchemaNormaliser::ReadNumber(SchemaPlace place, Shape& shape) {
  const Json& schema = document_.SchemaOf(place);
  NumberRule& rule = shape.number;
  const std::array<std::pair<const char*, NumberRule::Limits*>, 5> keys = {
      {{"minimum", &rule.minimum},
       {"maximum", &rule.maximum},
       {"exclusiveMinimum", &rule.exclusive_minimum},
       {"exclusiveMaximum", &rule.exclusive_maximum},
       {"multipleOf", &rule.multiple_of}}};
  for (const auto& [key, limits] : keys) {
    const auto found = schema.find(key);
    if (found == schema.end()) continue;
    shape.named = true;
    const bool exclusive = std::string_view(key).starts_with("exclusive");
    // Draft 4: whether the limit itself is out.
    if (exclusive && found->is_boolean() && (document_.draft() == 0 || document_.draft() == 4)) {
      NumberRule::Limits& inclusive =
          limits == &rule.exclusive_minimum ? rule.minimum : rule.maximum;
      if (*found == Json(true)) limits->swap(inclusive);
      continue;
    }
    if (!found->is_number() || (limits == &rule.multiple_of && !(found->get<double>() > 0))) {
      document_.Fail(place, std::string(key) + ": found " + found->dump() + ", expected a number" +
                                (limits == &rule.multiple_of ? " above 0" : ""));
    }
    limits->push_back(*found);
  }
}

void SchemaNormaliser::ReadArray(SchemaPlace place, ArrayRule& rule) {
  const Json& schema = document_.SchemaOf(place);
  rule.least = CountAt(place, "minItems", 0);
  rule.most = CountAt(place, "maxItems", kNoMost);
  if (rule.least > kMostItems) {
    document_.Fail(place, "minItems: found " + schema["minItems"].dump() + ", expected 0 to " +
                              std::to_string(kMostItems));
  }
  if (rule.most != kNoMost && rule.most >= kMostItems) rule.most = kMostItems;
  const bool listed = schema.contains("items") && schema["items"].is_array();
  const char* const first = listed ? "items" : "prefixItems";
  const char* const others = listed ? "additionalItems" : "items";
  if (schema.contains(first) && !schema[first].empty()) rule.first = List(place, first);
  rule.evaluated = rule.first.size();
  if (schema.contains(others)) rule.others = Terms(document_.Within(place, others));
  if (rule.others && IsNever(*rule.others)) {
    rule.most = std::min<uint64_t>(rule.most, rule.first.size());
  }
  const auto never = std::find_if(rule.first.begin(), rule.first.end(), IsNever);
  rule.most = never == rule.first.end()
                  ? rule.most
                  : std::min<uint64_t>(rule.most, static_cast<size_t>(never - rule.first.begin()));
  if (schema.contains("uniqueItems")) {
    if (!schema["uniqueItems"].is_boolean()) document_.Fail(place, "uniqueItems: expected a bool");
    rule.unique = schema["uniqueItems"] == Json(true);
  }
  if (schema.contains("contains")) {
    rule.counts.push_back({.item = Terms(document_.Within(place, "contains")),
                           .least = CountAt(place, "minContains", 1),
                           .most = CountAt(place, "maxContains", kNoMost)});
  }
}

void SchemaNormaliser::ReadObject(SchemaPlace place, ObjectRule& rule) {
  const Json& schema = document_.SchemaOf(place);
  if (const Json* const patterns = ObjectAt(place, "patternProperties")) {
    for (const auto& [pattern, value] : patterns->items()) {
      rule.patterns.push_back(
          {PatternAt(place, pattern),
           Terms(document_.Within(place, "patternProperties", value, pattern))});
    }
  }
  if (const Json* const properties = ObjectAt(place, "properties")) {
    for (const auto& [name, value] : properties->items()) {
      ObjectRule::Property property{
          .name = name, .value = Terms(document_.Within(place, "properties", value, name))};
      property.evaluated = true;
      for (const ObjectRule::Pattern& pattern : rule.patterns) {
        if (HasName(pattern.text, name)) AddTerms(property.value, pattern.value);
      }
      rule.properties.push_back(std::move(property));
    }
  }
  if (schema.contains("additionalProperties")) {
    rule.others = Terms(document_.Within(place, "additionalProperties"));
  }
  if (schema.contains("required")) {
    std::unordered_map<std::string, size_t> listed;
    for (size_t i = 0; i < rule.properties.size(); ++i) listed[rule.properties[i].name] = i;
    for (const std::string& name : NamesAt(place, schema["required"], "required")) {
      if (!listed.contains(name)) {
        listed[name] = rule.properties.size();
        rule.properties.push_back(
            {.name = name, .value = ValueOf(rule, name), .evaluated = Evaluates(rule, name)});
      }
      rule.properties[listed[name]].required = true;
    }
  }
  if (rule.properties.size() > kMostProperties) {
    document_.Fail(place, "found more than " + std::to_string(kMostProperties) + " properties");
  }
  if (schema.contains("propertyNames")) {
    rule.names = Terms(document_.Within(place, "propertyNames"));
  }
  rule.least = CountAt(place, "minProperties", 0);
  rule.most = CountAt(place, "maxProperties", kNoMost);
}

}  // namespace cedar
