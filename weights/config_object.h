#ifndef CEDAR_WEIGHTS_CONFIG_OBJECT_H_
#define CEDAR_WEIGHTS_CONFIG_OBJECT_H_

// One object of a config.json, read key by key: a value that is missing, of another JSON type or
// out of its bounds is an Error (kModel) that names file and key. For config.cc alone.

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace cedar {

class ConfigObject {
 public:
  // where: what stands before a key in messages, "DIR/config.json: text_config.". Refuses a value
  // that is no object. `value` must outlive this.
  ConfigObject(const nlohmann::json& value, std::string where);

  bool Has(const std::string& key) const;  // a null counts as absent
  ConfigObject Object(const std::string& key) const;
  bool Bool(const std::string& key) const;
  std::string Text(const std::string& key) const;
  double Number(const std::string& key, double min, double max) const;
  int64_t Integer(const std::string& key, int64_t min, int64_t max) const;
  std::vector<int64_t> Integers(const std::string& key, int64_t min, int64_t max) const;

  size_t Size(const std::string& key, int64_t min, int64_t max) const {
    return static_cast<size_t>(Integer(key, min, max));
  }

  // What stands before a key in messages.
  const std::string& where() const { return where_; }

  // The message for a value that breaks a rule.
  [[noreturn]] void Refuse(const std::string& key, const std::string& found,
                           const std::string& expected) const;

 private:
  const nlohmann::json& At(const std::string& key) const;
  int64_t CheckInteger(const nlohmann::json& value, const std::string& key, int64_t min,
                       int64_t max) const;

  const nlohmann::json& value_;
  std::string where_;
};

}  // namespace cedar

#endif  // CEDAR_WEIGHTS_CONFIG_OBJECT_H_
