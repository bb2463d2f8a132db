// Shapes that hold together, and values of shapes.

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/schema_normaliser.h"
#include "simd/error.h"

namespace cedar {
namespace {

using Json = nlohmann::ordered_json;

// The highest of the lower limits is above the lowest of the upper ones.
bool ContradictsItself(const NumberRule& rule) {
  const auto over = [](const NumberRule::Limits& low, const NumberRule::Limits& high, bool equal) {
    return std::any_of(low.begin(), low.end(), [&](const Json& a) {
      return std::any_of(high.begin(), high.end(),
                         [&](const Json& b) { return a > b || (equal && a == b); });
    });
  };
  return over(rule.minimum, rule.maximum, false) ||
         over(rule.minimum, rule.exclusive_maximum, true) ||
         over(rule.exclusive_minimum, rule.maximum, true) ||
         over(rule.exclusive_minimum, rule.exclusive_maximum, true);
}

// What a shape takes of memory, and a pattern of time, compared with a look at a pair of shapes.
constexpr size_t kStepsOfShape = 10;
constexpr size_t kStepsOfText = 100;

// As validators have it: what is not whole is divided as doubles are.
bool IsMultiple(const Json& value, const Json& of) {
  if (value.is_number_integer() && of.is_number_integer()) {
    return value.get<int64_t>() % of.get<int64_t>() == 0;
  }
  const double quotient = value.get<double>() / of.get<double>();
  return quotient == std::trunc(quotient);
}

bool FollowsRule(const NumberRule& rule, const Json& value) {
  const auto all = [](const NumberRule::Limits& limits, const auto& holds) {
    return std::all_of(limits.begin(), limits.end(), holds);
  };
  const double number = value.get<double>();
  return (!rule.integer || number == std::trunc(number)) &&
         all(rule.minimum, [&](const Json& limit) { return value >= limit; }) &&
         all(rule.maximum, [&](const Json& limit) { return value <= limit; }) &&
         all(rule.exclusive_minimum, [&](const Json& limit) { return value > limit; }) &&
         all(rule.exclusive_maximum, [&](const Json& limit) { return value < limit; }) &&
         all(rule.multiple_of, [&](const Json& limit) { return IsMultiple(value, limit); });
}

// The integers within limits, if there are not more than `most`.
bool AddIntegers(const Shape& shape, size_t most, const auto& add) {
  const NumberRule& rule = shape.number;
  if (shape.type != JsonType::kNumber || !rule.integer) return false;
  double low = -INFINITY, high = INFINITY;
  for (const auto* limits : {&rule.minimum, &rule.exclusive_minimum}) {
    for (const Json& limit : *limits) low = std::max(low, limit.get<double>());
  }
  for (const auto* limits : {&rule.maximum, &rule.exclusive_maximum}) {
    for (const Json& limit : *limits) high = std::min(high, limit.get<double>());
  }
  const bool few =
      std::abs(low) < 1e15 && std::abs(high) < 1e15 && high - low <= static_cast<double>(most);
  if (!few) return false;
  for (int64_t i = static_cast<int64_t>(std::floor(low)); static_cast<double>(i) <= high; ++i) {
    if (FollowsRule(rule, Json(i))) add(Json(i));
  }
  return true;
}

bool ContradictsItself(const StringRule& rule) {
  return rule.max_length && *rule.max_length < rule.min_length;
}

}  // namespace

bool SchemaNormaliser::HasName(const std::string& pattern, const std::string& name) {
  const auto [known, is_new] = has_name_.try_emplace({pattern, name});
  if (is_new) {
    Spend(kStepsOfText);
    known->second = FollowsRule(StringRule{.patterns = {pattern}}, name);
  }
  return known->second;
}

SchemaTerms SchemaNormaliser::ValueOf(const ObjectRule& rule, const std::string& name) {
  if (const ObjectRule::Property* const listed = rule.Find(name)) return listed->value;
  SchemaTerms value;
  bool matches = false;
  for (const ObjectRule::Pattern& pattern : rule.patterns) {
    if (!HasName(pattern.text, name)) continue;
    matches = true;
    AddTerms(value, pattern.value);
  }
  return matches || !rule.others ? value : *rule.others;
}

bool SchemaNormaliser::Evaluates(const ObjectRule& rule, const std::string& name) {
  if (rule.others) return true;
  if (const ObjectRule::Property* const listed = rule.Find(name)) return listed->evaluated;
  return std::any_of(rule.patterns.begin(), rule.patterns.end(),
                     [&](const auto& pattern) { return HasName(pattern.text, name); });
}

// A name that matches patterns of both rules may be held to more than it must: only where both have
// patterns, and not the same ones.
ObjectRule SchemaNormaliser::Together(const ObjectRule& a, const ObjectRule& b) {
  static const ObjectRule kNone;
  if (a == kNone) return b;
  if (b == kNone) return a;
  Spend((a.properties.size() + 1) * (b.properties.size() + 1) / 16 + a.properties.size());
  ObjectRule both;
  for (const auto& [one, other] : {std::pair(&a, &b), std::pair(&b, &a)}) {
    for (ObjectRule::Property property : one->properties) {
      const ObjectRule::Property* const same = other->Find(property.name);
      if (one == &b && same != nullptr) continue;
      AddTerms(property.value, ValueOf(*other, property.name));
      property.required = property.required || (same != nullptr && same->required);
      property.evaluated = property.evaluated || Evaluates(*other, property.name);
      both.properties.push_back(std::move(property));
    }
    for (ObjectRule::Pattern pattern : one->patterns) {
      const auto same = std::find_if(other->patterns.begin(), other->patterns.end(),
                                     [&](const auto& p) { return p.text == pattern.text; });
      if (same != other->patterns.end()) {
        if (one == &b) continue;
        AddTerms(pattern.value, same->value);
      } else if (other->others) {
        AddTerms(pattern.value, *other->others);
      }
      both.patterns.push_back(std::move(pattern));
    }
    if (one->others) {
      if (!both.others) both.others.emplace();
      AddTerms(*both.others, *one->others);
    }
  }
  both.names = a.names;
  AddTerms(both.names, b.names);
  both.least = std::max(a.least, b.least);
  both.most = std::min(a.most, b.most);
  return both;
}

Shapes SchemaNormaliser::Both(const Shapes& a, const Shapes& b) {
  Shapes shapes;
  Spend(1 + a.size() * b.size() / 16);
  for (const Shape& one : a) {
    for (const Shape& other : b) {
      if (one.type != other.type) continue;
      Spend(kStepsOfShape);
      Shape both = Both(one, other);
      if (IsEmpty(both)) continue;
      // Many ways to one shape are one.
      if (shapes.size() > 64 || std::find(shapes.begin(), shapes.end(), both) == shapes.end()) {
        shapes.push_back(std::move(both));
      }
    }
  }
  return shapes;
}

Shape SchemaNormaliser::Both(const Shape& a, const Shape& b) {
  Shape both{.type = a.type, .named = a.named || b.named};
  both.unsupported = a.unsupported.empty() ? b.unsupported : a.unsupported;
  both.string = cedar::Together(a.string, b.string);
  both.number = cedar::Together(a.number, b.number);
  both.fraction = a.fraction || b.fraction;
  if (a.type == JsonType::kArray) both.array = cedar::Together(a.array, b.array);
  if (a.type == JsonType::kObject) both.object = Together(a.object, b.object);
  if (!a.values && !b.values) return both;
  const Shape& listed = a.values ? a : b;
  const Shape& other = a.values ? b : a;
  Spend(listed.values->size());
  both.values.emplace();
  if (other.values) {
    std::set<std::string> keys;
    for (const Json* value : *other.values) keys.insert(KeyOf(*value));
    for (const Json* value : *listed.values) {
      if (keys.contains(KeyOf(*value))) both.values->push_back(value);
    }
    return both;
  }
  for (const Json* value : *listed.values) {
    if (Allows(other, *value)) both.values->push_back(value);
  }
  return both;
}

bool SchemaNormaliser::IsEmpty(const Shape& shape) {
  if (shape.values) return shape.values->empty();
  switch (shape.type) {
    case JsonType::kNumber:
      return (shape.fraction && shape.number.integer) || ContradictsItself(shape.number);
    case JsonType::kString:
      return ContradictsItself(shape.string);
    case JsonType::kArray:
      return shape.array.least > shape.array.most;
    case JsonType::kObject:
      return shape.object.least > shape.object.most ||
             std::any_of(shape.object.properties.begin(), shape.object.properties.end(),
                         [](const ObjectRule::Property& property) {
                           return property.required && IsNever(property.value);
                         });
    default:
      return false;
  }
}

bool SchemaNormaliser::Allows(const SchemaTerms& terms, const Json& value) {
  if (terms.empty()) return true;
  const Shapes& shapes = Of(terms);
  return std::any_of(shapes.begin(), shapes.end(), [&](const Shape& shape) {
    if (!Allows(shape, value)) return false;
    if (!shape.unsupported.empty()) {
      throw Error(ErrorKind::kInput, "JSON schema, " + shape.unsupported);
    }
    return true;
  });
}

// What is not supported is left out here.
bool SchemaNormaliser::Allows(const Shape& shape, const Json& value) {
  if (TypeOf(value) != shape.type) return false;
  if (shape.values) {
    const std::string key = KeyOf(value);
    return std::any_of(shape.values->begin(), shape.values->end(),
                       [&](const Json* one) { return KeyOf(*one) == key; });
  }
  switch (shape.type) {
    case JsonType::kNumber:
      return (IsFree(shape.number) || FollowsRule(shape.number, value)) &&
             !(shape.fraction && value.get<double>() == std::trunc(value.get<double>()));
    case JsonType::kString:
      if (!IsFree(shape.string)) Spend(kStepsOfText);
      return IsFree(shape.string) || FollowsRule(shape.string, value.get_ref<const std::string&>());
    case JsonType::kArray:
      return AllowsArray(shape.array, value);
    case JsonType::kObject:
      return AllowsObject(shape.object, value);
    default:
      return true;
  }
}

bool SchemaNormaliser::AllowsArray(const ArrayRule& rule, const Json& value) {
  if (value.size() < rule.least || value.size() > rule.most) return false;
  std::set<std::string> seen;
  for (size_t i = 0; i < value.size(); ++i) {
    if (!Allows(rule.At(i), value[i])) return false;
    if (rule.unique && !seen.insert(KeyOf(value[i])).second) return false;
  }
  return std::all_of(rule.counts.begin(), rule.counts.end(), [&](const ArrayRule::Count& count) {
    const auto found = static_cast<uint64_t>(std::count_if(
        value.begin(), value.end(), [&](const Json& item) { return Allows(count.item, item); }));
    return count.least <= found && found <= count.most;
  });
}

bool SchemaNormaliser::AllowsObject(const ObjectRule& rule, const Json& value) {
  if (value.size() < rule.least || value.size() > rule.most) return false;
  for (const ObjectRule::Property& property : rule.properties) {
    if (property.required && !value.contains(property.name)) return false;
  }
  return std::all_of(value.items().begin(), value.items().end(), [&](const auto& member) {
    return Allows(rule.names, Json(member.key())) &&
           Allows(ValueOf(rule, member.key()), member.value());
  });
}

std::optional<std::vector<Json>> SchemaNormaliser::AllValues(const SchemaTerms& terms,
                                                             size_t most) {
  if (terms.empty()) return std::nullopt;
  std::vector<Json> values;
  std::set<std::string> seen;
  const auto add = [&](const Json& value) {
    if (seen.insert(KeyOf(value)).second) values.push_back(value);
  };
  for (const Shape& shape : Of(terms)) {
    if (!shape.unsupported.empty()) return std::nullopt;
    if (shape.values) {
      for (const Json* value : *shape.values) add(*value);
    } else if (shape.type == JsonType::kNull) {
      add(nullptr);
    } else if (shape.type == JsonType::kBoolean) {
      for (const bool value : {false, true}) add(value);
    } else if (!AddIntegers(shape, most, add)) {
      return std::nullopt;
    }
    if (values.size() > most) return std::nullopt;
  }
  return values;
}

bool SchemaNormaliser::AreDisjoint(const SchemaTerms& a, const SchemaTerms& b, int levels) {
  if (IsNever(a) || IsNever(b)) return true;
  if (a.empty() || b.empty() || levels == 0) return false;
  // What is being worked out is not known yet.
  const auto is_open = [&](const SchemaTerm& term) { return open_.contains(term); };
  if (std::any_of(a.begin(), a.end(), is_open) || std::any_of(b.begin(), b.end(), is_open)) {
    return false;
  }
  try {
    const Shapes& of_a = Of(a);
    return std::all_of(of_a.begin(), of_a.end(),
                       [&](const Shape& shape) { return AreDisjoint(shape, Of(b), levels); });
  } catch (const Error&) {
    return false;
  }
}

bool SchemaNormaliser::AreDisjoint(const Shape& shape, const Shapes& shapes, int levels) {
  Spend(1 + shapes.size() / 16);
  return std::all_of(shapes.begin(), shapes.end(), [&](const Shape& other) {
    return shape.type != other.type || AreDisjoint(shape, other, levels);
  });
}

// Of one type.
bool SchemaNormaliser::AreDisjoint(const Shape& a, const Shape& b, int levels) {
  if (a.values || b.values) {
    const Shape& listed = a.values ? a : b;
    const Shape& other = a.values ? b : a;
    return std::none_of(listed.values->begin(), listed.values->end(),
                        [&](const Json* value) { return Allows(other, *value); });
  }
  switch (a.type) {
    case JsonType::kNumber:
      return (a.fraction && b.number.integer) || (b.fraction && a.number.integer) ||
             ContradictsItself(cedar::Together(a.number, b.number));
    case JsonType::kString:
      return ContradictsItself(cedar::Together(a.string, b.string));
    case JsonType::kArray: {
      const uint64_t least = std::max(a.array.least, b.array.least);
      if (least > std::min(a.array.most, b.array.most)) return true;
      const uint64_t known = std::max(a.array.first.size(), b.array.first.size()) + 1;
      for (size_t i = 0; i < std::min(least, known); ++i) {
        if (AreDisjoint(a.array.At(i), b.array.At(i), levels - 1)) return true;
      }
      return false;
    }
    case JsonType::kObject:
      return AreDisjoint(a.object, b.object, levels) || AreDisjoint(b.object, a.object, levels);
    default:
      return false;
  }
}

// Whether a property that `a` requires tells them apart.
bool SchemaNormaliser::AreDisjoint(const ObjectRule& a, const ObjectRule& b, int levels) {
  if (a.least > b.most) return true;
  return std::any_of(a.properties.begin(), a.properties.end(), [&](const auto& property) {
    return property.required && AreDisjoint(property.value, ValueOf(b, property.name), levels - 1);
  });
}

}  // namespace cedar
