#include "tests/temp_folder.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

namespace cedar::test {

TempFolder::TempFolder() : path_(std::filesystem::temp_directory_path() / "cedar_test_XXXXXX") {
  EXPECT_NE(mkdtemp(path_.data()), nullptr) << path_;
}

TempFolder::~TempFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string TempFolder::Write(std::string_view name, std::string_view bytes) const {
  const std::string path = *this / name;
  WriteBytes(path, bytes);
  return path;
}

std::vector<std::string> FilesIn(const std::string& folder) {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    files.push_back(entry.path());
  }
  return files;
}

size_t BytesIn(const std::string& folder) {
  size_t bytes = 0;
  for (const std::string& file : FilesIn(folder)) bytes += std::filesystem::file_size(file);
  return bytes;
}

std::string ReadBytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file.is_open()) << path;
  return std::string(std::istreambuf_iterator<char>(file), {});
}

void WriteBytes(const std::string& path, std::string_view bytes) {
  std::ofstream file(path, std::ios::binary);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  EXPECT_TRUE(file.good()) << path;
}

void DropFromCache(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  EXPECT_EQ(fsync(file), 0) << path;
  EXPECT_EQ(posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED), 0) << path;
  close(file);
}

}  // namespace cedar::test
