#include "app/json_fields.h"

#include <algorithm>
#include <cmath>
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

[[noreturn]] void RefuseField(const std::string& path, std::string_view note) {
  throw Error(ErrorKind::kInput,
              path + ": not supported" + (note.empty() ? "" : "; ") + std::string(note));
}

[[noreturn]] void RefuseUnknown(const std::string& path, const std::string& name,
                                std::span<const std::string_view> known) {
  constexpr size_t kFew = 16;  // that a message may list
  if (const std::string_view nearest = NearestName(name, known); !nearest.empty()) {
    RefuseField(path, "did you mean \"" + std::string(nearest) + "\"?");
  }
  if (known.size() > kFew) RefuseField(path, "app/batch/README.md lists what is");
  std::string names;
  for (const std::string_view each : known)
    names += (names.empty() ? "" : ", ") + std::string(each);
  RefuseField(path, "the fields here are " + names);
}

}  // namespace

std::optional<uint64_t> WholeNumber(const Json& value) {
  if (value.is_number_unsigned()) return value.get<uint64_t>();
  if (!value.is_number_float()) return std::nullopt;
  // Doubles are whole numbers without gaps up to here.
  constexpr double kMost = uint64_t{1} << 53;
  const double number = value.get<double>();
  if (!(number >= 0 && number <= kMost) || number != std::floor(number)) return std::nullopt;
  return static_cast<uint64_t>(number);
}

int32_t TokenId(const Json& value, size_t vocab, const std::string& path) {
  const std::optional<uint64_t> id = WholeNumber(value);
  if (!id || *id >= vocab) {
    FailField(path, value, "token ids from 0 to " + std::to_string(vocab - 1));
  }
  return static_cast<int32_t>(*id);
}

namespace {

// What clients write for a field that they do not use. An empty object may ask for something with
// all its defaults.
bool SaysNothing(const Json& value) {
  return value == Json(false) || value == Json("") || (value.is_array() && value.empty());
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

void JsonFields::CheckNames(const Tables& tables) {
  std::vector<std::string_view> offered;
  const auto find = [&](const std::string& name) -> const FieldName* {
    for (const std::span<const FieldName>& table : tables) {
      const auto it = std::find_if(table.begin(), table.end(),
                                   [&](const FieldName& field) { return field.name == name; });
      if (it != table.end()) return &*it;
    }
    return nullptr;
  };
  for (const std::span<const FieldName>& table : tables) {
    for (const FieldName& field : table) {
      if (field.kind != FieldKind::kRefused) offered.push_back(field.name);
      if (field.kind == FieldKind::kNoEffect) Ignore(std::string(field.name));
    }
  }
  for (const auto& [name, value] : object_.items()) {
    if (value.is_null()) continue;
    const FieldName* const field = find(name);
    if (field == nullptr) RefuseUnknown(PathOf(name), name, offered);
    if (field->kind == FieldKind::kRefused) {
      if (!SaysNothing(value)) RefuseField(PathOf(name), field->note);
      Ignore(name);
    }
    if (field->kind == FieldKind::kOnly) OnlyIf(name, Json::parse(field->note));
  }
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
  const std::optional<uint64_t> value = WholeNumber(*field);
  if (!value || *value < least || *value > most) {
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
  for (const Json& one : *field) out.push_back(TokenId(one, vocab, PathOf(name)));
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
    if (value.is_null() || std::find(taken_.begin(), taken_.end(), name) != taken_.end()) continue;
    const std::vector<std::string_view> known(taken_.begin(), taken_.end());
    RefuseUnknown(PathOf(name), name, known);
  }
}

}  // namespace cedar
