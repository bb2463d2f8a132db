#ifndef CEDAR_WEIGHTS_KNOWN_SUMS_H_
#define CEDAR_WEIGHTS_KNOWN_SUMS_H_

// What SHA-256 a model's files should have, as far as somebody says so.

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "weights/model_files.h"

namespace cedar {

struct KnownSum {
  std::string sha256;  // in small letters
  std::string source;  // who says so, for messages
};

class KnownSums {
 public:
  KnownSums() = default;
  // `path`: a file as sha256sum, its BSD kin or `git lfs ls-files --long` write it; a Git LFS
  // pointer; or a folder with such pointers, as a clone without the data has them. A file that is
  // none of these, or has no sum, is an Error (kInput) that names file and line.
  static KnownSums Read(const std::string& path);

  // The sum of a file of the model. Without a list, or of a file that is not in it: what the hub's
  // downloader noted beside it, or the name of the blob that it links to in the hub's cache.
  std::optional<KnownSum> Find(const ModelFiles& files, std::string_view file) const;

 private:
  void ReadLines(const std::string& text, const std::string& path);
  void ReadPointers(const std::string& folder);
  void Add(const std::string& name, std::string sha256, const std::string& source);

  std::map<std::string, KnownSum, std::less<>> by_path_;  // as the list has it, "x" or "folder/x"
};

}  // namespace cedar

#endif  // CEDAR_WEIGHTS_KNOWN_SUMS_H_
