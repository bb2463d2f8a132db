#include "app/json_fields.h"

#include <algorithm>
#include <utility>

#include "simd/error.h"

namespace cedar {
namespace {

using Json = nlohmann::ordered_json;

// As it stood in the file, cut between code points. Lists and objects may be nested deeper than the
// stack and are only named.
std::string Excerpt(const Json& value) {
  constexpr size_t kLongest = 60;
  if (value.is_array()) return value.empty() ? "[]" : "a list";
  if (value.is_object()) return value.empty() ? "{}" : "an object";
  std::string text = value.dump();
  if (text.size() <= kLongest) return text;
  size_t end = kLongest;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  return text.substr(0, end) + "...";
}

}  // namespace

void FailField(const std::string& path, const Json& found, const std::string& expected) {
  throw Error(ErrorKind::kInput, path + ": found " + Excerpt(found) + ", expected " + expected);
}

JsonFields::JsonFields(const Json& object, std::string path)
    : object_(object), path_(std::move(path)) {
  if (!object.is_object()) FailField(path_.empty() ? "line" : path_, object, "an object");
}

std::string JsonFields::PathOf(const std::string& name) const {
  return path_.empty() ? name : path_ + "." + name;
}

void JsonFields::Ignore(const std::string& name) {
  if (std::find(taken_.begin(), taken_.end(), name) == taken_.end()) taken_.push_back(name);
}

const Json* JsonFields::Take(const std::string& name) {
  Ignore(name);
  const auto field = object_.find(name);
  return field == object_.end() || field->is_null() ? nullptr : &*field;
}

std::optional<std::string> JsonFields::TakeString(const std::string& name) {
  const Json* field = Take(name);
  if (!field) return std::nullopt;
  if (!field->is_string()) FailField(PathOf(name), *field, "a string");
  return field->get<std::string>();
}

std::optional<uint64_t> JsonFields::TakeCount(const std::string& name, uint64_t least,
                                              uint64_t most) {
  const Json* field = Take(name);
  if (!field) return std::nullopt;
  const uint64_t value = field->is_number_unsigned() ? field->get<uint64_t>() : 0;
  if (!field->is_number_unsigned() || value < least || value > most) {
    FailField(PathOf(name), *field,
              "a whole number from " + std::to_string(least) + " to " + std::to_string(most));
  }
  return value;
}

std::optional<double> JsonFields::TakeReal(const std::string& name, const RealRange& range) {
  const Json* field = Take(name);
  if (!field) return std::nullopt;
  if (!field->is_number() || !range.Contains(field->get<double>())) {
    FailField(PathOf(name), *field, range.Text());
  }
  return field->get<double>();
}

std::optional<bool> JsonFields::TakeBool(const std::string& name) {
  const Json* field = Take(name);
  if (!field) return std::nullopt;
  if (!field->is_boolean()) FailField(PathOf(name), *field, "true or false");
  return field->get<bool>();
}

std::vector<std::string> JsonFields::TakeStrings(const std::string& name) {
  const Json* field = Take(name);
  if (!field) return {};
  if (field->is_string()) return {field->get<std::string>()};
  if (!field->is_array()) FailField(PathOf(name), *field, "a string or a list of strings");
  std::vector<std::string> out;
  for (const Json& one : *field) {
    if (!one.is_string()) FailField(PathOf(name), one, "a list of strings");
    out.push_back(one.get<std::string>());
  }
  return out;
}

std::vector<int32_t> JsonFields::TakeIds(const std::string& name, size_t vocab) {
  const Json* field = Take(name);
  if (!field) return {};
  if (!field->is_array()) FailField(PathOf(name), *field, "a list of token ids");
  std::vector<int32_t> out;
  for (const Json& one : *field) {
    if (!one.is_number_unsigned() || one.get<uint64_t>() >= vocab) {
      FailField(PathOf(name), one, "token ids from 0 to " + std::to_string(vocab - 1));
    }
    out.push_back(one.get<int32_t>());
  }
  return out;
}

void JsonFields::OnlyIf(const std::string& name, const Json& value) {
  const Json* field = Take(name);
  if (field && *field != value)
    FailField(PathOf(name), *field, value.dump() + ", as no other is supported");
}

const Json& JsonFields::Need(const std::string& name) {
  const Json* field = Take(name);
  if (!field) throw Error(ErrorKind::kInput, PathOf(name) + ": missing");
  return *field;
}

std::string JsonFields::NeedString(const std::string& name) {
  const Json& field = Need(name);
  if (!field.is_string()) FailField(PathOf(name), field, "a string");
  return field.get<std::string>();
}

void JsonFields::RefuseOthers() const {
  for (const auto& [name, value] : object_.items()) {
    if (std::find(taken_.begin(), taken_.end(), name) != taken_.end()) continue;
    std::string known;
    for (const std::string& each : taken_) known += (known.empty() ? "" : ", ") + each;
    throw Error(ErrorKind::kInput, PathOf(name) + ": not supported; the fields here are " + known);
  }
}

}  // namespace cedar
