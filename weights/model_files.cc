#include "weights/model_files.h"

#include <filesystem>
#include <system_error>
#include <utility>

#include "simd/error.h"
#include "weights/model_error.h"

namespace cedar {

ModelFiles ModelFiles::InDirectory(const std::string& path) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) {
    throw Error(ErrorKind::kModel, path + ": " + error.message() + "; expected a directory");
  }
  if (!std::filesystem::is_directory(status)) RefuseModel(path, "a file", "a directory");
  ModelFiles files;
  files.name_ = path;
  return files;
}

ModelFiles ModelFiles::InMemory(
    const std::string& name,
    std::map<std::string, std::span<const uint8_t>, std::less<>> contents) {
  ModelFiles files;
  files.name_ = name;
  files.in_memory_ = true;
  files.memory_ = std::move(contents);
  return files;
}

std::string ModelFiles::PathOf(std::string_view file) const {
  return (std::filesystem::path(name_) / file).string();
}

bool ModelFiles::Has(std::string_view file) const {
  std::error_code error;
  return in_memory_ ? memory_.contains(file) : std::filesystem::exists(PathOf(file), error);
}

MappedFile ModelFiles::Open(std::string_view file) const {
  const std::string path = PathOf(file);
  if (!in_memory_) return MappedFile::Map(path);
  const auto found = memory_.find(file);
  if (found == memory_.end()) throw Error(ErrorKind::kModel, path + ": No such file");
  return MappedFile::Borrow(path, found->second);
}

}  // namespace cedar
