#ifndef CEDAR_TESTS_APP_MODEL_FOLDER_H_
#define CEDAR_TESTS_APP_MODEL_FOLDER_H_

// The demo checkpoint in a folder of its own, to be damaged.

#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/temp_folder.h"

namespace cedar::test {

class ModelFolder {
 public:
  ModelFolder();

  const std::string& path() const { return folder_.path(); }
  std::string operator/(std::string_view name) const { return folder_ / name; }

  void Remove(const std::string& file) const;
  void EditConfig(const std::function<void(nlohmann::json& text_config)>& edit) const;
  // The header of model.safetensors; the data behind it stay as they are.
  void EditHeader(const std::function<void(nlohmann::json& header)>& edit) const;
  // Adds a model.safetensors.index.json that names model.safetensors for every tensor.
  void AddIndex(const std::function<void(nlohmann::json& weight_map)>& edit) const;
  void EditBytes(const std::string& file,
                 const std::function<void(std::string& bytes)>& edit) const;

 private:
  TempFolder folder_;
};

}  // namespace cedar::test

#endif  // CEDAR_TESTS_APP_MODEL_FOLDER_H_
