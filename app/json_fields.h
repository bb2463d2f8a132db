#ifndef CEDAR_APP_JSON_FIELDS_H_
#define CEDAR_APP_JSON_FIELDS_H_

// Reads the fields of a JSON object that came from outside: each is checked, none is ignored.
// Every function throws Error (kInput) that names the field by its path ("body.top_p"), with what
// was found and what was expected. A field that is null counts as absent, whatever its name, and a
// whole number may be written 16.0.

#include <cstdint>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/field_names.h"
#include "app/option_values.h"

namespace cedar {

class JsonFields {
 public:
  // `object` must outlive this and be an object; `path` is "" for a whole line.
  JsonFields(const nlohmann::ordered_json& object, std::string path);

  // Looks at all names at once, before any is read: refuses those that are refused or unknown (with
  // the name that may have been meant) and other values than the one that is understood.
  using Tables = std::initializer_list<std::span<const FieldName>>;
  void CheckNames(const Tables& tables);

  // The field, or null.
  const nlohmann::ordered_json* Take(const std::string& name);
  std::optional<std::string> TakeString(const std::string& name);
  std::optional<uint64_t> TakeCount(const std::string& name, uint64_t least, uint64_t most);
  std::optional<double> TakeReal(const std::string& name, const RealRange& range);
  std::optional<bool> TakeBool(const std::string& name);
  // A list of strings; one string stands for a list of one.
  std::vector<std::string> TakeStrings(const std::string& name);
  // A list of ids from 0 to vocab - 1.
  std::vector<int32_t> TakeIds(const std::string& name, size_t vocab);
  // A field whose value may not be anything but this one: another is not supported.
  void OnlyIf(const std::string& name, const nlohmann::ordered_json& value);
  // A field that changes nothing here.
  void Ignore(const std::string& name);

  // The same for fields that must be there.
  const nlohmann::ordered_json& Need(const std::string& name);
  std::string NeedString(const std::string& name);

  // After all that are known: any other field is an Error, which names a near one or the known
  // ones.
  void RefuseOthers() const;

  std::string PathOf(const std::string& name) const;

 private:
  const nlohmann::ordered_json& object_;
  std::string path_;
  std::vector<std::string> taken_;
};

// A whole number that is not negative, if this is one: 16, 16.0.
std::optional<uint64_t> WholeNumber(const nlohmann::ordered_json& value);
// One of the ids from 0 to vocab - 1. Throws as FailField.
int32_t TokenId(const nlohmann::ordered_json& value, size_t vocab, const std::string& path);

// Throws the Error: "PATH: found VALUE, expected WHAT"; long values are cut.
[[noreturn]] void FailField(const std::string& path, const nlohmann::ordered_json& found,
                            const std::string& expected);

}  // namespace cedar

#endif  // CEDAR_APP_JSON_FIELDS_H_
