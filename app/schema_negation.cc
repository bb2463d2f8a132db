// The opposite of each keyword: a value does not meet a schema if it fails one of its keywords.

#include <algorithm>
#include <utility>

#include "app/schema_normaliser.h"

namespace cedar {
namespace {

using Json = nlohmann::ordered_json;

Shape NamedShape(JsonType type) { return {.type = type, .named = true}; }

void Append(Shapes& to, const Shapes& more) { to.insert(to.end(), more.begin(), more.end()); }

}  // namespace

void SchemaNormaliser::Unsupported(SchemaPlace place, JsonType type, std::string_view key,
                                   Shapes& to) {
  Shape shape = NamedShape(type);
  shape.unsupported = document_.PathOf(place) + ": \"not\" (or oneOf) of \"" + std::string(key) +
                      "\" is not supported here";
  to.push_back(std::move(shape));
}

Shapes SchemaNormaliser::Opposite(SchemaPlace place) {
  const Json& schema = document_.SchemaOf(place);
  if (schema.is_boolean()) return schema == Json(true) ? Shapes() : AnyShapes();
  CheckKeywords(place);
  Shapes shapes;
  if (schema.contains("$ref")) shapes = Of(Terms(document_.Target(place), /*negated=*/true));
  // In old drafts nothing beside a $ref counts.
  const bool alone = schema.contains("$ref") && document_.draft() < 2019;
  if (!alone) {
    DenyTypes(place, shapes);
    for (const char* key : {"const", "enum"}) {
      if (schema.contains(key)) DenyConstants(place, key, shapes);
    }
    DenyString(place, shapes);
    DenyNumber(place, shapes);
    DenyArray(place, shapes);
    DenyObject(place, shapes);
    DenyCombinations(place, shapes);
  }
  if (schema.value("nullable", Json()) == Json(true)) {
    std::erase_if(shapes, [](const Shape& shape) { return shape.type == JsonType::kNull; });
  }
  Spend(shapes.size());
  return shapes;
}

void SchemaNormaliser::DenyTypes(SchemaPlace place, Shapes& to) {
  const Json& schema = document_.SchemaOf(place);
  if (!schema.contains("type")) return;
  const Shapes types = Types(place);
  for (Shape shape : AnyShapes()) {
    const auto named = std::find_if(types.begin(), types.end(),
                                    [&](const Shape& one) { return one.type == shape.type; });
    if (named == types.end()) {
      to.push_back(std::move(shape));
    } else if (named->number.integer) {
      shape.fraction = true;
      to.push_back(std::move(shape));
    }
  }
}

// All values of a type but those that are listed.
void SchemaNormaliser::DenyConstants(SchemaPlace place, std::string_view key, Shapes& to) {
  static const Json kTrue = true, kFalse = false;
  const Shapes listed = Constants(place, key);
  for (Shape shape : AnyShapes()) {
    const auto found = std::find_if(listed.begin(), listed.end(),
                                    [&](const Shape& one) { return one.type == shape.type; });
    if (found == listed.end()) {
      to.push_back(std::move(shape));
      continue;
    }
    const std::vector<const Json*>& values = *found->values;
    switch (shape.type) {
      case JsonType::kNull:
        break;
      case JsonType::kBoolean:
        if (values.size() == 2) break;
        shape.values.emplace({*values[0] == kTrue ? &kFalse : &kTrue});
        to.push_back(std::move(shape));
        break;
      case JsonType::kString:
        for (const Json* value : values) shape.string.excluded.push_back(*value);
        to.push_back(std::move(shape));
        break;
      case JsonType::kNumber: {
        // The gaps between them.
        NumberRule::Limits limits;
        for (const Json* value : values) limits.push_back(*value);
        std::sort(limits.begin(), limits.end());
        for (size_t i = 0; i <= limits.size(); ++i) {
          Shape gap = shape;
          if (i > 0) gap.number.exclusive_minimum = {limits[i - 1]};
          if (i < limits.size()) gap.number.exclusive_maximum = {limits[i]};
          to.push_back(std::move(gap));
        }
        break;
      }
      default: {
        const bool only_empty = values.size() == 1 && values[0]->empty();
        if (!only_empty) {
          Unsupported(place, shape.type, key, to);
          break;
        }
        shape.array.least = shape.type == JsonType::kArray ? 1 : 0;
        shape.object.least = shape.type == JsonType::kObject ? 1 : 0;
        to.push_back(std::move(shape));
      }
    }
  }
}

void SchemaNormaliser::DenyString(SchemaPlace place, Shapes& to) {
  const Json& schema = document_.SchemaOf(place);
  Shape read = NamedShape(JsonType::kString);
  ReadString(place, read);
  const StringRule& rule = read.string;
  const auto add = [&](StringRule denied) {
    Shape shape = NamedShape(JsonType::kString);
    shape.string = std::move(denied);
    to.push_back(std::move(shape));
  };
  if (rule.min_length > 0) add({.max_length = rule.min_length - 1});
  if (rule.max_length) add({.min_length = *rule.max_length + 1});
  if (!rule.patterns.empty()) add({.not_patterns = rule.patterns});
  if (schema.contains("format") && !rule.formats.empty()) {
    Unsupported(place, JsonType::kString, "format", to);
  }
}

void SchemaNormaliser::DenyNumber(SchemaPlace place, Shapes& to) {
  Shape read = NamedShape(JsonType::kNumber);
  ReadNumber(place, read);
  const NumberRule& rule = read.number;
  const auto add = [&](NumberRule denied) {
    Shape shape = NamedShape(JsonType::kNumber);
    shape.number = std::move(denied);
    to.push_back(std::move(shape));
  };
  if (!rule.minimum.empty()) add({.exclusive_maximum = rule.minimum});
  if (!rule.maximum.empty()) add({.exclusive_minimum = rule.maximum});
  if (!rule.exclusive_minimum.empty()) add({.maximum = rule.exclusive_minimum});
  if (!rule.exclusive_maximum.empty()) add({.minimum = rule.exclusive_maximum});
  if (!rule.multiple_of.empty()) Unsupported(place, JsonType::kNumber, "multipleOf", to);
}

void SchemaNormaliser::DenyArray(SchemaPlace place, Shapes& to) {
  const Json& schema = document_.SchemaOf(place);
  Shape read = NamedShape(JsonType::kArray);
  Read(place, read);
  const ArrayRule& rule = read.array;
  const auto add = [&](ArrayRule denied) {
    Shape shape = NamedShape(JsonType::kArray);
    shape.array = std::move(denied);
    to.push_back(std::move(shape));
  };
  const uint64_t least = CountAt(place, "minItems", 0), most = CountAt(place, "maxItems", kNoMost);
  if (least > 0) add({.most = least - 1});
  if (most != kNoMost) add({.least = most + 1});
  if (!rule.first.empty()) {
    const char* const key = schema.contains("prefixItems") ? "prefixItems" : "items";
    const std::vector<SchemaTerms> opposites = List(place, key, /*negated=*/true);
    for (size_t i = 0; i < opposites.size(); ++i) {
      if (IsNever(opposites[i])) continue;
      ArrayRule denied{.least = i + 1};
      denied.first.resize(i + 1);
      denied.first[i] = opposites[i];
      add(std::move(denied));
    }
  }
  if (rule.others && !rule.others->empty()) {
    const bool tuple = schema.contains("items") && schema["items"].is_array();
    const char* const key = tuple ? "additionalItems" : "items";
    if (IsNever(*rule.others)) {
      add({.least = rule.first.size() + 1});
    } else if (rule.first.empty()) {
      const SchemaTerms opposite = Terms(document_.Within(place, key), /*negated=*/true);
      add({.counts = {{.item = opposite}}});
    } else {
      Unsupported(place, JsonType::kArray, key, to);
    }
  }
  if (rule.unique) Unsupported(place, JsonType::kArray, "uniqueItems", to);
  for (const ArrayRule::Count& count : rule.counts) {
    if (count.least > 0) {
      add({.counts = {{.item = count.item, .least = 0, .most = count.least - 1}}});
    }
    if (count.most != kNoMost) add({.counts = {{.item = count.item, .least = count.most + 1}}});
  }
  if (schema.contains("unevaluatedItems")) {
    Unsupported(place, JsonType::kArray, "unevaluatedItems", to);
  }
}

void SchemaNormaliser::DenyObject(SchemaPlace place, Shapes& to) {
  const Json& schema = document_.SchemaOf(place);
  Shape read = NamedShape(JsonType::kObject);
  Read(place, read);
  const ObjectRule& rule = read.object;
  const auto add = [&](ObjectRule denied) {
    Shape shape = NamedShape(JsonType::kObject);
    shape.object = std::move(denied);
    to.push_back(std::move(shape));
  };
  const auto with = [&](const std::string& name, SchemaTerms value, bool required) {
    add({.properties = {{.name = name, .value = std::move(value), .required = required}}});
  };
  if (schema.contains("required")) {
    for (const std::string& name : NamesAt(place, schema["required"], "required")) {
      with(name, {{SchemaDocument::kNever}}, /*required=*/false);
    }
  }
  if (const Json* const properties = ObjectAt(place, "properties")) {
    for (const auto& [name, value] : properties->items()) {
      const SchemaPlace part = document_.Within(place, "properties", value, name);
      SchemaTerms opposite = Terms(part, /*negated=*/true);
      if (!IsNever(opposite)) with(name, std::move(opposite), /*required=*/true);
    }
  }
  if (rule.least > 0) add({.most = rule.least - 1});
  if (rule.most != kNoMost) add({.least = rule.most + 1});
  if (schema.contains("additionalProperties") && !rule.others->empty()) {
    // Closed and without patterns: one property more than those that are listed.
    Unsupported(place, JsonType::kObject, "additionalProperties", to);
  }
  if (!rule.patterns.empty()) Unsupported(place, JsonType::kObject, "patternProperties", to);
  if (!rule.names.empty()) Unsupported(place, JsonType::kObject, "propertyNames", to);
  if (schema.contains("unevaluatedProperties")) {
    Unsupported(place, JsonType::kObject, "unevaluatedProperties", to);
  }
}

void SchemaNormaliser::DenyDependencies(SchemaPlace place, std::string_view key, Shapes& to) {
  const Json* const all = ObjectAt(place, key);
  for (const auto& [name, wanted] : all->items()) {
    Shape with = NamedShape(JsonType::kObject);
    with.object.properties = {{.name = name, .value = {}, .required = true}};
    if (!wanted.is_array()) {
      const SchemaPlace part = document_.Within(place, key, wanted, name);
      Append(to, Both({with}, Of(Terms(part, /*negated=*/true))));
      continue;
    }
    for (const std::string& more : NamesAt(place, wanted, key)) {
      if (more == name) continue;
      to.push_back(with);
      to.back().object.properties.push_back({.name = more, .value = {{SchemaDocument::kNever}}});
    }
  }
}

void SchemaNormaliser::DenyCombinations(SchemaPlace place, Shapes& to) {
  const Json& schema = document_.SchemaOf(place);
  if (schema.contains("allOf")) {
    Append(to, Union(List(place, "allOf", /*negated=*/true)));
  }
  if (schema.contains("anyOf")) {
    Shapes none = AnyShapes();
    for (const SchemaTerms& terms : List(place, "anyOf", /*negated=*/true)) {
      none = Both(none, Of(terms));
    }
    Append(to, none);
  }
  if (schema.contains("oneOf")) {
    const std::vector<SchemaTerms> options = List(place, "oneOf");
    Shapes none = AnyShapes();
    for (const SchemaTerms& terms : List(place, "oneOf", /*negated=*/true)) {
      none = Both(none, Of(terms));
    }
    Append(to, none);
    for (size_t i = 0; i < options.size(); ++i) {
      for (size_t j = 0; j < i; ++j) Append(to, Both(Of(options[i]), Of(options[j])));
    }
  }
  if (schema.contains("not")) Append(to, Of(Terms(document_.Within(place, "not"))));
  if (schema.contains("if")) Append(to, IfThenElse(place, /*negated=*/true));
  for (const char* key : {"dependentRequired", "dependentSchemas", "dependencies"}) {
    if (schema.contains(key)) DenyDependencies(place, key, to);
  }
}

}  // namespace cedar
