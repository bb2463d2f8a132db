#include "app/schema_normaliser.h"

#include <algorithm>
#include <array>
#include <utility>

#include "simd/error.h"

namespace cedar {
namespace {

using Json = nlohmann::ordered_json;

// Some seconds of work at most.
constexpr size_t kMostSteps = 3'000'000;
// Of oneOf, whose options are compared with each other.
constexpr size_t kMostPairs = 1'000'000;

// Keywords that say nothing about which values are valid, those that only hold definitions, and
// what OpenAPI and the libraries of several languages write beside them.
constexpr auto kAnnotations = std::to_array<std::string_view>({"$schema",
                                                               "$id",
                                                               "id",
                                                               "$comment",
                                                               "$defs",
                                                               "definitions",
                                                               "$anchor",
                                                               "title",
                                                               "description",
                                                               "default",
                                                               "examples",
                                                               "example",
                                                               "readOnly",
                                                               "writeOnly",
                                                               "deprecated",
                                                               "discriminator",
                                                               "externalDocs",
                                                               "xml",
                                                               "contentEncoding",
                                                               "contentMediaType",
                                                               "contentSchema",
                                                               "markdownDescription",
                                                               "errorMessage",
                                                               "enumNames",
                                                               "enumDescriptions",
                                                               "propertyOrdering",
                                                               "nullable",
                                                               "optional",
                                                               "strict",
                                                               "name"});

// Those of one type, and those that combine schemas.
constexpr auto kKeywords = std::to_array<std::string_view>({"type",
                                                            "const",
                                                            "enum",
                                                            "minLength",
                                                            "maxLength",
                                                            "pattern",
                                                            "format",
                                                            "minimum",
                                                            "maximum",
                                                            "exclusiveMinimum",
                                                            "exclusiveMaximum",
                                                            "multipleOf",
                                                            "items",
                                                            "prefixItems",
                                                            "additionalItems",
                                                            "minItems",
                                                            "maxItems",
                                                            "uniqueItems",
                                                            "contains",
                                                            "minContains",
                                                            "maxContains",
                                                            "properties",
                                                            "required",
                                                            "additionalProperties",
                                                            "patternProperties",
                                                            "propertyNames",
                                                            "minProperties",
                                                            "maxProperties",
                                                            "$ref",
                                                            "allOf",
                                                            "anyOf",
                                                            "oneOf",
                                                            "not",
                                                            "if",
                                                            "then",
                                                            "else",
                                                            "dependentRequired",
                                                            "dependentSchemas",
                                                            "dependencies",
                                                            "unevaluatedItems",
                                                            "unevaluatedProperties"});

bool IsOneOf(std::string_view key, const auto& keys) {
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

bool IsAnnotation(std::string_view key) {
  return key.starts_with("x-") || IsOneOf(key, kAnnotations);
}

void Append(Shapes& to, const Shapes& more) {
  for (const Shape& shape : more) {
    // Equal shapes come of options that share a schema; of many options that is not looked for.
    if (to.size() > 64 || std::find(to.begin(), to.end(), shape) == to.end()) to.push_back(shape);
  }
}

}  // namespace

void SchemaNormaliser::Spend(size_t steps) {
  steps_ += steps;
  if (steps_ > kMostSteps) {
    document_.Fail(SchemaDocument::kRoot,
                   "too many combinations of allOf, anyOf, oneOf and the like");
  }
}

bool SchemaNormaliser::IsNever(const SchemaTerms& terms) {
  return std::find(terms.begin(), terms.end(), SchemaTerm{SchemaDocument::kNever}) != terms.end();
}

bool SchemaNormaliser::SaysNothing(const Json& schema) const {
  return std::all_of(schema.items().begin(), schema.items().end(), [](const auto& item) {
    return IsAnnotation(item.key()) && item.key() != "nullable";
  });
}

// The schema that one of nothing but a $ref stands for.
SchemaPlace SchemaNormaliser::Follow(SchemaPlace place) {
  for (size_t i = 0; i < SchemaDocument::kMostLevels; ++i) {
    const Json& schema = document_.SchemaOf(place);
    if (!schema.is_object() || !schema.contains("$ref")) return place;
    const bool alone =
        document_.RefStandsAlone() ||
        std::all_of(schema.items().begin(), schema.items().end(), [](const auto& item) {
          return item.key() == "$ref" || (IsAnnotation(item.key()) && item.key() != "nullable");
        });
    if (!alone) return place;
    place = document_.Target(place);
  }
  document_.Fail(place, "$ref: more than " + std::to_string(SchemaDocument::kMostLevels) +
                            " levels, or one that leads back to itself");
}

SchemaTerms SchemaNormaliser::Terms(SchemaPlace place, bool negated) {
  place = Follow(place);
  const Json& schema = document_.SchemaOf(place);
  if (!schema.is_boolean() && !schema.is_object()) {
    document_.Fail(place, "found " + schema.dump() + ", expected an object, true or false");
  }
  if (schema.is_object() ? SaysNothing(schema) : schema == Json(true)) {
    return negated ? SchemaTerms{{SchemaDocument::kNever}} : SchemaTerms{};
  }
  if (schema.is_boolean()) return negated ? SchemaTerms{} : SchemaTerms{{SchemaDocument::kNever}};
  return {{place, negated}};
}

void SchemaNormaliser::CheckKeywords(SchemaPlace place) {
  const Json& schema = document_.SchemaOf(place);
  for (const auto& [key, value] : schema.items()) {
    const bool known = IsAnnotation(key) || IsOneOf(key, kKeywords) ||
                       (value.is_structured() && document_.IsReferredTo(key));
    if (!known) {
      document_.Fail(place, "\"" + key + "\" is not supported");
    }
    const bool own_document = (key == "$id" || key == "id") && place != SchemaDocument::kRoot &&
                              value.is_string() &&
                              !value.get_ref<const std::string&>().starts_with("#");
    if (own_document) document_.Fail(place, "\"" + key + "\" is not supported below the root");
  }
}

const Shapes& SchemaNormaliser::Of(const SchemaTerms& terms) {
  if (terms.size() == 1) return OfTerm(terms[0]);
  if (const auto known = of_terms_.find(terms); known != of_terms_.end()) return known->second;
  Shapes shapes = AnyShapes();
  for (const SchemaTerm& term : terms) shapes = Both(shapes, OfTerm(term));
  return of_terms_.emplace(terms, std::move(shapes)).first->second;
}

const Shapes& SchemaNormaliser::OfTerm(SchemaTerm term) {
  if (const auto known = of_term_.find(term); known != of_term_.end()) return known->second;
  if (open_.size() == SchemaDocument::kMostLevels) {
    document_.Fail(term.place, "schemas within schemas: more than " +
                                   std::to_string(SchemaDocument::kMostLevels) + " levels");
  }
  if (!open_.insert(term).second) {
    document_.Fail(term.place, "a $ref leads back to itself and to no value");
  }
  struct Close {
    std::set<SchemaTerm>& open;
    SchemaTerm term;
    ~Close() { open.erase(term); }
  } const close{open_, term};
  Shapes shapes = term.negated ? Opposite(term.place) : Meaning(term.place);
  return of_term_.emplace(term, std::move(shapes)).first->second;
}

std::vector<SchemaTerms> SchemaNormaliser::List(SchemaPlace place, std::string_view key,
                                                bool negated) {
  const Json& list = document_.SchemaOf(place).at(std::string(key));
  if (!list.is_array() || list.empty()) {
    document_.Fail(place, std::string(key) + ": expected a list of schemas");
  }
  std::vector<SchemaTerms> terms;
  for (size_t i = 0; i < list.size(); ++i) {
    terms.push_back(Terms(document_.Within(place, key, list[i], std::to_string(i)), negated));
  }
  return terms;
}

Shapes SchemaNormaliser::Union(const std::vector<SchemaTerms>& options) {
  Shapes shapes;
  std::set<SchemaTerms> seen;
  for (const SchemaTerms& terms : options) {
    if (!seen.insert(terms).second) continue;
    const Shapes& more = Of(terms);
    Spend(more.size());
    Append(shapes, more);
  }
  return shapes;
}

Shapes SchemaNormaliser::Meaning(SchemaPlace place) {
  const Json& schema = document_.SchemaOf(place);
  if (schema.is_boolean()) return schema == Json(true) ? AnyShapes() : Shapes();
  CheckKeywords(place);
  Shapes shapes = Types(place);
  for (Shape& shape : shapes) Read(place, shape);
  std::erase_if(shapes, [&](const Shape& shape) { return IsEmpty(shape); });
  for (const char* key : {"const", "enum"}) {
    if (schema.contains(key)) shapes = Both(shapes, Constants(place, key));
  }
  if (schema.contains("$ref")) shapes = Both(shapes, Of(Terms(document_.Target(place))));
  if (schema.contains("allOf")) {
    for (const SchemaTerms& terms : List(place, "allOf")) shapes = Both(shapes, Of(terms));
  }
  if (schema.contains("anyOf")) shapes = Both(shapes, Union(List(place, "anyOf")));
  if (schema.contains("oneOf")) shapes = Both(shapes, OneOf(place));
  if (schema.contains("not")) {
    shapes = Both(shapes, Of(Terms(document_.Within(place, "not"), /*negated=*/true)));
  }
  if (schema.contains("if")) shapes = Both(shapes, IfThenElse(place, /*negated=*/false));
  for (const char* key : {"dependentRequired", "dependentSchemas", "dependencies"}) {
    if (schema.contains(key)) shapes = Dependencies(place, key, std::move(shapes));
  }
  CloseUnevaluated(place, shapes);
  // As OpenAPI has it: an enum lists null itself.
  const bool may_be_null = schema.value("nullable", Json()) == Json(true) &&
                           !schema.contains("enum") && !schema.contains("const");
  if (may_be_null) Append(shapes, {{.type = JsonType::kNull, .named = true}});
  return shapes;
}

Shapes SchemaNormaliser::OneOf(SchemaPlace place) {
  const std::vector<SchemaTerms> options = List(place, "oneOf");
  if (auto values = OneOfValues(options)) return *std::move(values);
  if (HaveDiscriminator(options)) return Union(options);
  const std::vector<SchemaTerms> others = List(place, "oneOf", /*negated=*/true);
  if (options.size() * options.size() > kMostPairs)
    document_.Fail(place, "oneOf: too many options");
  Shapes shapes;
  for (size_t i = 0; i < options.size(); ++i) {
    Shapes part = Of(options[i]);
    for (size_t j = 0; j < options.size() && !part.empty(); ++j) {
      if (j != i) part = Except(part, options[j], others[j]);
    }
    Append(shapes, part);
  }
  return shapes;
}

// Shapes that have values in common with an option are held to its opposite.
Shapes SchemaNormaliser::Except(const Shapes& shapes, const SchemaTerms& option,
                                const SchemaTerms& opposite) {
  Shapes apart;
  for (const Shape& shape : shapes) {
    if (AreDisjoint(shape, Of(option), kLevelsApart)) {
      apart.push_back(shape);
    } else {
      Append(apart, Both({shape}, Of(opposite)));
    }
  }
  return apart;
}

// Options that are lists of values: those that are in one option alone.
std::optional<Shapes> SchemaNormaliser::OneOfValues(const std::vector<SchemaTerms>& options) {
  std::unordered_map<std::string, size_t> found;
  for (const SchemaTerms& terms : options) {
    std::set<std::string> keys;
    for (const Shape& shape : Of(terms)) {
      if (!shape.values || !shape.unsupported.empty()) return std::nullopt;
      for (const Json* value : *shape.values) keys.insert(KeyOf(*value));
    }
    for (const std::string& key : keys) ++found[key];
  }
  Shapes shapes;
  for (const SchemaTerms& terms : options) {
    for (Shape shape : Of(terms)) {
      std::erase_if(*shape.values, [&](const Json* value) { return found[KeyOf(*value)] > 1; });
      if (!shape.values->empty()) shapes.push_back(std::move(shape));
    }
  }
  return shapes;
}

// Whether all options are objects that one property tells apart.
bool SchemaNormaliser::HaveDiscriminator(const std::vector<SchemaTerms>& options) {
  const Shapes& first = Of(options[0]);
  if (first.empty() || first[0].type != JsonType::kObject) return false;
  for (const ObjectRule::Property& candidate : first[0].object.properties) {
    std::set<std::string> all;
    const bool apart = std::all_of(options.begin(), options.end(), [&](const SchemaTerms& terms) {
      std::set<std::string> keys;
      for (const Shape& option : Of(terms)) {
        if (option.type != JsonType::kObject) return false;
        const ObjectRule::Property* const property = option.object.Find(candidate.name);
        if (property == nullptr || !property->required || property->value.empty()) return false;
        // What may lead back here is not looked into.
        if (open_.contains(property->value[0])) return false;
        for (const Shape& value : Of(property->value)) {
          if (!value.values) return false;
          for (const Json* one : *value.values) keys.insert(KeyOf(*one));
        }
      }
      return std::all_of(keys.begin(), keys.end(),
                         [&](const std::string& key) { return all.insert(key).second; });
    });
    if (apart) return true;
  }
  return false;
}

// Negated: what it does not allow.
Shapes SchemaNormaliser::IfThenElse(SchemaPlace place, bool negated) {
  const Json& schema = document_.SchemaOf(place);
  const SchemaPlace condition = document_.Within(place, "if");
  Shapes shapes;
  for (const bool holds : {true, false}) {
    const char* const key = holds ? "then" : "else";
    SchemaTerms terms = Terms(condition, !holds);
    if (schema.contains(key)) {
      AddTerms(terms, Terms(document_.Within(place, key), negated));
    } else if (negated) {
      continue;
    }
    Append(shapes, Of(terms));
  }
  return shapes;
}

Shapes SchemaNormaliser::Dependencies(SchemaPlace place, std::string_view key, Shapes shapes) {
  const Json* const all = ObjectAt(place, key);
  for (const auto& [name, wanted] : all->items()) {
    Shape with{.type = JsonType::kObject, .named = true}, without = with;
    without.object.properties = {{.name = name, .value = {{SchemaDocument::kNever}}}};
    with.object.properties = {{.name = name, .value = {}, .required = true}};
    Shapes cases = AnyShapes();
    cases.erase(cases.begin());  // objects
    if (wanted.is_array()) {
      for (std::string& more : NamesAt(place, wanted, key)) {
        if (with.object.Find(more) == nullptr) {
          with.object.properties.push_back(
              {.name = std::move(more), .value = {}, .required = true});
        }
      }
      cases.push_back(std::move(with));
    } else {
      Append(cases, Both({with}, Of(Terms(document_.Within(place, key, wanted, name)))));
    }
    cases.push_back(std::move(without));
    shapes = Both(shapes, cases);
  }
  return shapes;
}

// unevaluatedProperties and unevaluatedItems act on what the shape was made of: at least that was
// evaluated.
void SchemaNormaliser::CloseUnevaluated(SchemaPlace place, Shapes& shapes) {
  const Json& schema = document_.SchemaOf(place);
  const auto terms_of = [&](const char* key) -> std::optional<SchemaTerms> {
    if (!schema.contains(key)) return std::nullopt;
    return Terms(document_.Within(place, key));
  };
  if (const auto terms = terms_of("unevaluatedProperties")) {
    for (Shape& shape : shapes) {
      if (shape.type != JsonType::kObject) continue;
      shape.named = true;
      for (ObjectRule::Property& property : shape.object.properties) {
        if (!property.evaluated && !shape.object.others) AddTerms(property.value, *terms);
      }
      if (!shape.object.others) shape.object.others = terms;
    }
  }
  if (const auto terms = terms_of("unevaluatedItems")) {
    for (Shape& shape : shapes) {
      if (shape.type != JsonType::kArray) continue;
      shape.named = true;
      ArrayRule& rule = shape.array;
      if (rule.others) continue;
      for (size_t i = rule.evaluated; i < rule.first.size(); ++i) AddTerms(rule.first[i], *terms);
      rule.others = terms;
      if (IsNever(*terms)) rule.most = std::min<uint64_t>(rule.most, rule.first.size());
    }
  }
  std::erase_if(shapes, [&](const Shape& shape) { return IsEmpty(shape); });
}

}  // namespace cedar
