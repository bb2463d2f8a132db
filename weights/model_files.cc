#include "weights/model_files.h"

#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>

#include "simd/error.h"
#include "weights/hub_folder.h"
#include "weights/model_error.h"

namespace cedar {

namespace {

bool IsGguf(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  char magic[4] = {};
  file.read(magic, sizeof(magic));
  return std::string_view(magic, sizeof(magic)) == "GGUF";
}

}  // namespace

ModelFiles ModelFiles::InDirectory(const std::string& path) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) {
    throw Error(ErrorKind::kModel, path + ": " + error.message() + "; expected a directory");
  }
  if (!std::filesystem::is_directory(status)) {
    RefuseModel(path, IsGguf(path) ? "a GGUF file" : "a file",
                "a directory: that of the released safetensors files");
  }
  ModelFiles files;
  files.name_ = IsHubFolder(path) ? SnapshotOf(path) : path;
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

// A link that leads nowhere is there too: Open() says so.
bool ModelFiles::Has(std::string_view file) const {
  if (in_memory_) return memory_.contains(file);
  std::error_code error;
  return std::filesystem::exists(std::filesystem::symlink_status(PathOf(file), error));
}

bool ModelFiles::HasWeights() const {
  if (Has(kIndexFile) || Has(kSingleFile)) return true;
  if (in_memory_) return false;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(name_, error)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("model-") && name.ends_with(".safetensors")) return true;
  }
  return false;
}

MappedFile ModelFiles::Open(std::string_view file) const {
  const std::string path = PathOf(file);
  if (!in_memory_) return MappedFile::Map(path);
  const auto found = memory_.find(file);
  if (found == memory_.end()) throw Error(ErrorKind::kModel, path + ": No such file");
  return MappedFile::Borrow(path, found->second);
}

}  // namespace cedar
