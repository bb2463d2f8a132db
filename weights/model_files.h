#ifndef CEDAR_WEIGHTS_MODEL_FILES_H_
#define CEDAR_WEIGHTS_MODEL_FILES_H_

// Where the files of a model come from: a directory, or memory (the model inside the program).

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "weights/mapped_file.h"

namespace cedar {

inline constexpr std::string_view kConfigFile = "config.json";
inline constexpr std::string_view kTokenizerFile = "tokenizer.json";
inline constexpr std::string_view kIndexFile = "model.safetensors.index.json";
inline constexpr std::string_view kSingleFile = "model.safetensors";

class ModelFiles {
 public:
  // A folder of the hub's cache stands for its snapshot (weights/hub_folder.h). A path that is not
  // a directory is an Error (kModel).
  static ModelFiles InDirectory(const std::string& path);
  // `files`: name -> bytes, which must outlive everything made from them. `name` is for messages.
  static ModelFiles InMemory(const std::string& name,
                             std::map<std::string, std::span<const uint8_t>, std::less<>> files);

  // The path of the folder with the files, or the name that was given.
  const std::string& name() const { return name_; }
  // What messages call the file.
  std::string PathOf(std::string_view file) const;

  bool Has(std::string_view file) const;
  // Whether there is anything of the weights, an index or a shard: a folder may hold config.json
  // alone, to plan by.
  bool HasWeights() const;
  // Error (kModel) if there is no such file, or it is none that can be mapped. `file` is the plain
  // name of a file: callers check names that come from outside.
  MappedFile Open(std::string_view file) const;

 private:
  std::string name_;
  bool in_memory_ = false;
  std::map<std::string, std::span<const uint8_t>, std::less<>> memory_;
};

}  // namespace cedar

#endif  // CEDAR_WEIGHTS_MODEL_FILES_H_
