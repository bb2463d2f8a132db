#include "app/document_names.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string_view>

#include "app/file_kind.h"
#include "app/file_pattern.h"
#include "app/text_input.h"
#include "simd/error.h"

namespace cedar {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void Fail(const std::string& value, const std::string& what) {
  throw Error(ErrorKind::kInput, "--documents " + value + ": " + what);
}

std::vector<std::string> NamesInList(std::string_view text) {
  const bool nul = text.find('\0') != text.npos;
  const char end = nul ? '\0' : '\n';
  std::vector<std::string> names;
  while (!text.empty()) {
    const size_t length = std::min(text.find(end), text.size());
    std::string_view name = text.substr(0, length);
    if (!nul && name.ends_with('\r')) name.remove_suffix(1);
    if (!name.empty()) names.emplace_back(name);
    text.remove_prefix(std::min(length + 1, text.size()));
  }
  return names;
}

std::vector<std::string> ReadList(const std::string& value) {
  const std::string path = value.substr(1);
  const std::string text = path == "-" ? ReadStandardInput() : ReadFile(path);
  if (const auto kind = ForeignKind(text)) {
    Fail(value, "found " + *kind + ", expected a list of paths");
  }
  std::vector<std::string> names = NamesInList(WithoutByteOrderMark(text));
  if (names.empty()) Fail(value, "found no path, expected one on each line");
  return names;
}

std::vector<std::string> NamesOf(const std::string& value) {
  if (value.starts_with('@')) return ReadList(value);
  std::vector<std::string> names = FindFiles(value);
  if (names.empty()) {
    Fail(value, std::string("no file has such a name") +
                    (value.starts_with('~') ? " (~ within quotes stays what it is)" : ""));
  }
  return names;
}

// Tells the spellings of one path from each other: a/b, ./a/b, a//b and a/c/../b. Links are names
// of their own.
class Spellings {
 public:
  bool IsNew(const std::string& path) {
    const fs::path whole = path;
    const std::string folder = whole.parent_path();
    const auto [place, added] = folders_.try_emplace(folder);
    if (added) {
      std::error_code failed;
      place->second = fs::canonical(folder.empty() ? "." : folder, failed);
      if (failed) place->second = folder;
    }
    return seen_.insert(place->second / whole.filename()).second;
  }

 private:
  std::map<std::string, fs::path> folders_;
  std::set<std::string> seen_;
};

}  // namespace

std::vector<std::string> FindDocuments(const std::vector<std::string>& values) {
  std::vector<std::string> names;
  Spellings spellings;
  for (const std::string& value : values) {
    for (std::string& name : NamesOf(value)) {
      if (spellings.IsNew(name)) names.push_back(std::move(name));
    }
  }
  return names;
}

}  // namespace cedar
