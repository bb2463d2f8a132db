#ifndef CEDAR_TESTS_TEMP_FOLDER_H_
#define CEDAR_TESTS_TEMP_FOLDER_H_

// A folder of its own for each test, removed with all that lies in it.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace cedar::test {

class TempFolder {
 public:
  TempFolder();
  ~TempFolder();
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  const std::string& path() const { return path_; }
  std::string operator/(std::string_view name) const { return path_ + "/" + std::string(name); }
  // Makes a file and returns its path.
  std::string Write(std::string_view name, std::string_view bytes) const;

 private:
  std::string path_;
};

// The paths of what lies in a folder, and the bytes of all these files.
std::vector<std::string> FilesIn(const std::string& folder);
size_t BytesIn(const std::string& folder);

// The bytes of a file; the test fails if it is not there.
std::string ReadBytes(const std::string& path);
void WriteBytes(const std::string& path, std::string_view bytes);

// Drops a file's pages from the cache, as far as the file system keeps them there; the test fails
// if it is not there.
void DropFromCache(const std::string& path);

}  // namespace cedar::test

#endif  // CEDAR_TESTS_TEMP_FOLDER_H_
