#include "app/kept_copy.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "app/new_file.h"
#include "app/same_file.h"
#include "simd/error.h"

namespace cedar {
namespace {

namespace fs = std::filesystem;

bool IsThere(const std::string& path) {
  std::error_code ignored;
  return fs::symlink_status(path, ignored).type() != fs::file_type::not_found;
}

// An older copy gets out of the way.
void MoveOn(const std::string& target) {
  const std::string copy = target + "~";
  if (!IsThere(copy)) return;
  size_t number = 1;
  const auto numbered = [&] { return target + ".~" + std::to_string(number) + "~"; };
  while (IsThere(numbered())) ++number;
  if (std::rename(copy.c_str(), numbered().c_str()) != 0) {
    throw Error(ErrorKind::kInput, copy + ": cannot rename: " + std::strerror(errno));
  }
}

}  // namespace

void CopyBytes(std::ifstream& file, const std::string& path, size_t offset, size_t bytes,
               NewFile& out) {
  constexpr size_t kBlock = size_t{1} << 16;
  std::string block;
  file.seekg(static_cast<std::streamoff>(offset));
  for (size_t left = bytes; left > 0; left -= block.size()) {
    block.resize(std::min(left, kBlock));
    if (!file.read(block.data(), static_cast<std::streamsize>(block.size()))) {
      throw Error(ErrorKind::kInput, path + ": cannot read");
    }
    out.Write(block);
  }
}

std::string KeepCopy(const std::string& path, size_t bytes) {
  const std::string target = TargetOf(path), copy = target + "~";
  MoveOn(target);
  NewFile out(copy, target);
  std::ifstream file(path, std::ios::binary);
  CopyBytes(file, path, 0, bytes, out);
  out.CommitClaimed().Close();
  return copy;
}

}  // namespace cedar
