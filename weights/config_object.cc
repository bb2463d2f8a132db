#include "weights/config_object.h"

#include <cmath>
#include <optional>
#include <utility>

#include "weights/model_error.h"

namespace cedar {
namespace {

// Lists and objects are not written out: they may be deep.
std::string Describe(const nlohmann::json& value) {
  if (value.is_array()) return "a list";
  if (value.is_object()) return "an object";
  if (value.is_string()) return Quoted(value.get_ref<const std::string&>());
  return value.dump();
}

// Nothing for what is none, or not within 64 bits.
std::optional<int64_t> WholeNumber(const nlohmann::json& value) {
  // A number above the largest int64 is unsigned in the JSON library.
  if (value.is_number_unsigned() && value.get<uint64_t>() > uint64_t{INT64_MAX}) {
    return std::nullopt;
  }
  if (value.is_number_integer()) return value.get<int64_t>();
  constexpr double kExact = 9007199254740992;  // 2^53
  const double x = value.is_number_float() ? value.get<double>() : std::nan("");
  if (!(std::abs(x) <= kExact) || x != std::floor(x)) return std::nullopt;
  return static_cast<int64_t>(x);
}

// 0.5 as "0.5", 1e30 as "1e+30"
std::string NumberText(double x) { return nlohmann::json(x).dump(); }

}  // namespace

ConfigObject::ConfigObject(const nlohmann::json& value, std::string where)
    : value_(value), where_(std::move(where)) {
  if (value.is_object()) return;
  // "FILE: KEY." without the last character, or "FILE: " without two, is the name of the value.
  const size_t end = where_.find_last_not_of(". :");
  RefuseModel(where_.substr(0, end + 1), Describe(value), "an object");
}

bool ConfigObject::Has(const std::string& key) const {
  const auto found = value_.find(key);
  return found != value_.end() && !found->is_null();
}

ConfigObject ConfigObject::Object(const std::string& key) const {
  return ConfigObject(At(key), where_ + key + ".");
}

bool ConfigObject::Bool(const std::string& key) const {
  const nlohmann::json& value = At(key);
  if (!value.is_boolean()) Refuse(key, Describe(value), "true or false");
  return value.get<bool>();
}

std::string ConfigObject::Text(const std::string& key) const {
  const nlohmann::json& value = At(key);
  if (!value.is_string()) Refuse(key, Describe(value), "a string");
  return value.get<std::string>();
}

double ConfigObject::Number(const std::string& key, double min, double max) const {
  const nlohmann::json& value = At(key);
  const double x = value.is_number() ? value.get<double>() : std::nan("");
  if (!(x >= min && x <= max)) {
    Refuse(key, Describe(value), "a number from " + NumberText(min) + " to " + NumberText(max));
  }
  return x;
}

int64_t ConfigObject::Integer(const std::string& key, int64_t min, int64_t max) const {
  return CheckInteger(At(key), key, min, max);
}

std::vector<int64_t> ConfigObject::Integers(const std::string& key, int64_t min,
                                            int64_t max) const {
  const nlohmann::json& list = At(key);
  if (!list.is_array()) Refuse(key, Describe(list), "a list of whole numbers");
  std::vector<int64_t> values;
  values.reserve(list.size());
  for (const nlohmann::json& value : list) values.push_back(CheckInteger(value, key, min, max));
  return values;
}

void ConfigObject::Refuse(const std::string& key, const std::string& found,
                          const std::string& expected) const {
  RefuseModel(where_ + key, found, expected);
}

const nlohmann::json& ConfigObject::At(const std::string& key) const {
  const auto found = value_.find(key);
  if (found == value_.end() || found->is_null()) Refuse(key, "no such key", "one");
  return *found;
}

// 16.0 is a whole number too; some libraries write it so.
int64_t ConfigObject::CheckInteger(const nlohmann::json& value, const std::string& key, int64_t min,
                                   int64_t max) const {
  const std::optional<int64_t> x = WholeNumber(value);
  if (!x || *x < min || *x > max) {
    Refuse(key, Describe(value),
           "a whole number from " + std::to_string(min) + " to " + std::to_string(max));
  }
  return *x;
}

}  // namespace cedar
