#include "app/schema_shape.h"

#include <algorithm>
#include <iterator>
#include <tuple>

namespace cedar {

using Json = nlohmann::ordered_json;

void AddTerms(SchemaTerms& to, const SchemaTerms& more) {
  if (more.empty()) return;
  SchemaTerms both;
  std::set_union(to.begin(), to.end(), more.begin(), more.end(), std::back_inserter(both));
  to = std::move(both);
}

JsonType TypeOf(const Json& value) {
  switch (value.type()) {
    case Json::value_t::object:
      return JsonType::kObject;
    case Json::value_t::array:
      return JsonType::kArray;
    case Json::value_t::string:
      return JsonType::kString;
    case Json::value_t::boolean:
      return JsonType::kBoolean;
    case Json::value_t::null:
      return JsonType::kNull;
    default:
      return JsonType::kNumber;
  }
}

const SchemaTerms& ArrayRule::At(size_t i) const {
  static const SchemaTerms kAnything;
  if (i < first.size()) return first[i];
  return others ? *others : kAnything;
}

const ObjectRule::Property* ObjectRule::Find(const std::string& name) const {
  const auto found = std::find_if(properties.begin(), properties.end(),
                                  [&](const Property& property) { return property.name == name; });
  return found == properties.end() ? nullptr : &*found;
}

namespace {

auto Fields(const StringRule& rule) {
  return std::tie(rule.min_length, rule.max_length, rule.patterns, rule.not_patterns, rule.formats,
                  rule.excluded);
}

auto Fields(const NumberRule& rule) {
  return std::tie(rule.integer, rule.minimum, rule.maximum, rule.exclusive_minimum,
                  rule.exclusive_maximum, rule.multiple_of);
}

template <class T>
void Append(std::vector<T>& to, const std::vector<T>& more) {
  for (const T& one : more) {
    if (std::find(to.begin(), to.end(), one) == to.end()) to.push_back(one);
  }
}

}  // namespace

bool IsFree(const StringRule& rule) { return Fields(rule) == Fields(StringRule()); }
bool IsFree(const NumberRule& rule) { return Fields(rule) == Fields(NumberRule()); }

bool Shape::IsBare() const {
  return !values && unsupported.empty() && !fraction && IsFree(number) && IsFree(string) &&
         array == ArrayRule() && object == ObjectRule();
}

bool Shape::operator==(const Shape& other) const {
  return type == other.type && named == other.named && values == other.values &&
         unsupported == other.unsupported && fraction == other.fraction &&
         Fields(number) == Fields(other.number) && Fields(string) == Fields(other.string) &&
         array == other.array && object == other.object;
}

Shapes AnyShapes() {
  Shapes shapes;
  for (const JsonType type : kJsonTypes) shapes.push_back({.type = type});
  return shapes;
}

StringRule Together(StringRule a, const StringRule& b) {
  a.min_length = std::max(a.min_length, b.min_length);
  if (b.max_length) a.max_length = std::min(a.max_length.value_or(*b.max_length), *b.max_length);
  Append(a.patterns, b.patterns);
  Append(a.not_patterns, b.not_patterns);
  Append(a.formats, b.formats);
  Append(a.excluded, b.excluded);
  return a;
}

NumberRule Together(NumberRule a, const NumberRule& b) {
  a.integer = a.integer || b.integer;
  Append(a.minimum, b.minimum);
  Append(a.maximum, b.maximum);
  Append(a.exclusive_minimum, b.exclusive_minimum);
  Append(a.exclusive_maximum, b.exclusive_maximum);
  Append(a.multiple_of, b.multiple_of);
  return a;
}

ArrayRule Together(const ArrayRule& a, const ArrayRule& b) {
  ArrayRule both;
  for (size_t i = 0; i < std::max(a.first.size(), b.first.size()); ++i) {
    both.first.push_back(a.At(i));
    AddTerms(both.first.back(), b.At(i));
  }
  for (const ArrayRule* rule : {&a, &b}) {
    both.evaluated = std::max(both.evaluated, rule->others ? both.first.size() : rule->evaluated);
    if (!rule->others) continue;
    if (!both.others) both.others.emplace();
    AddTerms(*both.others, *rule->others);
  }
  both.least = std::max(a.least, b.least);
  both.most = std::min(a.most, b.most);
  both.unique = a.unique || b.unique;
  both.counts = a.counts;
  Append(both.counts, b.counts);
  return both;
}

std::string KeyOf(const Json& value) {
  if (value.is_number_float()) {
    const double number = value.get<double>();
    if (number == static_cast<double>(static_cast<int64_t>(std::clamp(number, -9e15, 9e15)))) {
      return std::to_string(static_cast<int64_t>(number));
    }
    return value.dump();
  }
  if (!value.is_structured()) return value.dump();
  std::vector<std::string> parts;
  for (const auto& [name, part] : value.items()) {
    parts.push_back(value.is_object() ? Json(name).dump() + ":" + KeyOf(part) : KeyOf(part));
  }
  if (value.is_object()) std::sort(parts.begin(), parts.end());
  std::string key = value.is_object() ? "{" : "[";
  for (const std::string& part : parts) key += part + ",";
  return key;
}

}  // namespace cedar
