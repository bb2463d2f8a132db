#include "app/same_file.h"

#include <sys/stat.h>

#include <filesystem>

namespace cedar {

namespace fs = std::filesystem;

std::optional<FileId> RegularFileId(const std::string& path) {
  struct stat status;
  if (stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  return FileId{status.st_dev, status.st_ino};
}

std::string TargetOf(const std::string& path) {
  constexpr int kMostLinks = 40;
  std::error_code ignored;
  fs::path target = path;
  for (int i = 0; i < kMostLinks && fs::is_symlink(target, ignored); ++i) {
    target = target.parent_path() / fs::read_symlink(target, ignored);
  }
  return target;
}

std::string PlaceOf(const std::string& path) {
  std::error_code error;
  const fs::path target = fs::absolute(TargetOf(path), error);
  const fs::path place = fs::weakly_canonical(target, error);
  return error ? target.lexically_normal() : place;
}

bool IsSameFile(const std::string& a, const std::string& b) {
  const std::optional<FileId> of_a = RegularFileId(a), of_b = RegularFileId(b);
  if (of_a || of_b) return of_a == of_b;
  std::error_code no_such_file;
  const bool is_new = !fs::exists(a, no_such_file) && !fs::exists(b, no_such_file);
  return is_new && PlaceOf(a) == PlaceOf(b);
}

}  // namespace cedar
