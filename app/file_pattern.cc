// The C library's glob() knows neither ** nor names that contain brackets, hence a walk of our own.
// Whether one name matches one part of a pattern, the library's fnmatch() says.

#include "app/file_pattern.h"

#include <dirent.h>
#include <fnmatch.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>
#include <string_view>

namespace cedar {
namespace {

constexpr std::string_view kAnyDepth = "**";

bool Exists(const std::string& path) {
  struct stat status;
  return lstat(path.c_str(), &status) == 0;
}

bool IsFolder(const std::string& path, bool follow) {
  struct stat status;
  const int failed = follow ? stat(path.c_str(), &status) : lstat(path.c_str(), &status);
  return failed == 0 && S_ISDIR(status.st_mode);
}

bool HasAny(std::string_view text, std::string_view of) {
  return text.find_first_of(of) != text.npos;
}

// Brackets and braces may be part of a name; stars and question marks hardly are.
bool IsName(const std::string& path) { return !HasAny(path, "*?") && Exists(path); }

std::string WithoutEscapes(std::string_view part) {
  std::string name;
  for (size_t i = 0; i < part.size(); ++i) {
    if (part[i] == '\\' && i + 1 < part.size()) ++i;
    name += part[i];
  }
  return name;
}

std::string Join(const std::string& folder, std::string_view name) {
  if (folder.empty() || folder.back() == '/') return folder + std::string(name);
  return folder + "/" + std::string(name);
}

// The names in a folder; "" is the current one. None of what is no folder.
std::vector<std::string> NamesIn(const std::string& folder) {
  const std::unique_ptr<DIR, int (*)(DIR*)> open(opendir(folder.empty() ? "." : folder.c_str()),
                                                 &closedir);
  std::vector<std::string> names;
  if (!open) {
    if (errno != ENOENT && errno != ENOTDIR) {
      std::fprintf(stderr, "warning: %s: cannot be searched: %s\n", folder.c_str(),
                   std::strerror(errno));
    }
    return names;
  }
  while (const dirent* entry = readdir(open.get())) {
    const std::string name = entry->d_name;
    if (name != "." && name != "..") names.push_back(name);
  }
  return names;
}

// Follows a pattern part by part through the folders.
class Walk {
 public:
  explicit Walk(std::vector<std::string>& found) : found_(found) {}

  // `rest`: what is left of the pattern below `folder`.
  void Into(const std::string& folder, std::string_view rest) {
    const size_t slash = std::min(rest.find('/'), rest.size());
    const std::string_view part = rest.substr(0, slash);
    const size_t next = std::min(rest.find_first_not_of('/', slash), rest.size());
    const std::string_view below = rest.substr(next);
    if (part == kAnyDepth) return AnyDepth(folder, below);
    if (const std::optional<std::string> name = PlainName(folder, part)) {
      return Take(Join(folder, *name), below);
    }
    for (const std::string& name : NamesIn(folder)) {
      if (fnmatch(std::string(part).c_str(), name.c_str(), FNM_PERIOD) == 0) {
        Take(Join(folder, name), below);
      }
    }
  }

 private:
  void Take(const std::string& path, std::string_view below) {
    if (!below.empty()) {
      if (IsFolder(path, /*follow=*/true)) Into(path, below);
    } else if (Exists(path)) {
      found_.push_back(path);
    }
  }

  // This folder and all below it; as the last part of a pattern, all that is no folder.
  void AnyDepth(const std::string& folder, std::string_view below) {
    if (!below.empty()) Into(folder, below);
    for (const std::string& name : NamesIn(folder)) {
      if (name.starts_with('.')) continue;
      const std::string path = Join(folder, name);
      if (IsFolder(path, /*follow=*/false)) {
        AnyDepth(path, below);
      } else if (below.empty()) {
        found_.push_back(path);
      }
    }
  }

  // The only name that this part of a pattern can match, if there is only one.
  static std::optional<std::string> PlainName(const std::string& folder, std::string_view part) {
    if (IsName(Join(folder, part))) return std::string(part);
    if (HasAny(part, "*?[")) return std::nullopt;
    return WithoutEscapes(part);
  }

  std::vector<std::string>& found_;
};

// The first braces that hold a choice: where they and their commas stand, or nothing.
std::vector<size_t> FirstChoice(std::string_view pattern) {
  for (size_t begin = 0; begin < pattern.size(); ++begin) {
    if (pattern[begin] == '\\')
      ++begin;
    else if (pattern[begin] == '{') {
      std::vector<size_t> marks = {begin};
      size_t depth = 1;
      for (size_t i = begin + 1; i < pattern.size() && depth > 0; ++i) {
        if (pattern[i] == '\\')
          ++i;
        else if (pattern[i] == '{')
          ++depth;
        else if (pattern[i] == '}' && --depth == 0)
          marks.push_back(i);
        else if (pattern[i] == ',' && depth == 1)
          marks.push_back(i);
      }
      if (depth == 0 && marks.size() > 2) return marks;
    }
  }
  return {};
}

void Find(const std::string& pattern, std::vector<std::string>& found) {
  if (IsName(pattern)) return found.push_back(pattern);
  const std::vector<size_t> marks = FirstChoice(pattern);
  for (size_t i = 0; i + 1 < marks.size(); ++i) {
    Find(pattern.substr(0, marks[0]) + pattern.substr(marks[i] + 1, marks[i + 1] - marks[i] - 1) +
             pattern.substr(marks.back() + 1),
         found);
  }
  if (!marks.empty() || pattern.empty()) return;
  const size_t first = std::min(pattern.find_first_not_of('/'), pattern.size());
  if (first < pattern.size()) Walk(found).Into(pattern.substr(0, first), pattern.substr(first));
}

}  // namespace

std::vector<std::string> FindFiles(const std::string& pattern) {
  std::vector<std::string> found;
  Find(pattern, found);
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

}  // namespace cedar
