#ifndef CEDAR_APP_SERVED_NAME_H_
#define CEDAR_APP_SERVED_NAME_H_

#include <optional>
#include <string>
#include <vector>

namespace cedar {

// Requests may ask for a model by any name, and are answered by the one that is here.
class ServedName {
 public:
  // model: as the command line names it.
  explicit ServedName(std::string model);

  // Of the first request that asks for another model: a warning that names both.
  std::optional<std::string> Warn(const std::string& asked);

 private:
  bool IsOurs(const std::string& asked) const;

  std::string model_;
  std::vector<std::string> names_;  // by which it may be asked for, in lower case
  bool warned_ = false;
};

}  // namespace cedar

#endif  // CEDAR_APP_SERVED_NAME_H_
