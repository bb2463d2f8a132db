#include "weights/known_sums.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <system_error>
#include <utility>

#include "simd/error.h"
#include "weights/model_error.h"
#include "weights/sha256.h"

namespace cedar {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPointer = "version https://git-lfs.github.com/spec/v1";

std::string Lower(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
  return lower;
}

[[noreturn]] void RefuseList(const std::string& where, const std::string& found) {
  throw Error(ErrorKind::kInput, where + ": found " + found +
                                     ", expected SHA-256 sums as sha256sum writes them, or Git "
                                     "LFS pointers");
}

// The sum that a Git LFS pointer gives; none if the text is no pointer.
std::optional<std::string> SumOfPointer(const std::string& text) {
  constexpr std::string_view kOid = "oid sha256:";
  if (!text.starts_with(kPointer)) return std::nullopt;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    while (line.ends_with('\r') || line.ends_with(' ')) line.pop_back();
    if (line.starts_with(kOid) && IsSha256(line.substr(kOid.size()))) {
      return Lower(line.substr(kOid.size()));
    }
  }
  return std::nullopt;
}

// sha256sum begins a line with a backslash where it wrote newlines and backslashes of the name as
// \n and \\.
std::string Unescaped(std::string_view name) {
  std::string out;
  for (size_t i = 0; i < name.size(); ++i) {
    const bool escape = name[i] == '\\' && i + 1 < name.size();
    if (escape) ++i;
    out += escape && name[i] == 'n' ? '\n' : name[i];
  }
  return out;
}

struct Line {
  std::string sha256, name;
};

// "SUM  NAME", "SUM *NAME", "SUM * NAME", "SUM - NAME", "SHA256 (NAME) = SUM"
std::optional<Line> ParseLine(std::string_view line) {
  constexpr size_t kDigits = 64;
  constexpr std::string_view kBsd = "SHA256 (", kEquals = ") = ";
  const bool escaped = line.starts_with('\\');
  if (escaped) line.remove_prefix(1);
  Line found;
  if (line.starts_with(kBsd)) {
    const size_t end = line.rfind(kEquals);
    if (end == line.npos || end < kBsd.size()) return std::nullopt;
    found = {std::string(line.substr(end + kEquals.size())),
             std::string(line.substr(kBsd.size(), end - kBsd.size()))};
  } else {
    if (line.size() < kDigits + 3 || line[kDigits] != ' ') return std::nullopt;
    std::string_view name = line.substr(kDigits + 1);
    if (name.starts_with("* ") || name.starts_with("- ")) {
      name.remove_prefix(2);
    } else if (name.starts_with('*') || name.starts_with(' ')) {
      name.remove_prefix(1);
    }
    found = {std::string(line.substr(0, kDigits)), std::string(name)};
  }
  if (!IsSha256(found.sha256) || found.name.empty()) return std::nullopt;
  if (escaped) found.name = Unescaped(found.name);
  return Line{Lower(found.sha256), fs::path(found.name).lexically_normal().string()};
}

// The beginning of a file, at most so much; empty if it cannot be read.
std::string ReadStart(const std::string& path, size_t most) {
  std::ifstream file(path, std::ios::binary);
  std::string text(most, '\0');
  file.read(text.data(), static_cast<std::streamsize>(most));
  text.resize(static_cast<size_t>(file.gcount()));
  return text;
}

constexpr size_t kLongestPointer = 1024;

// `hf download --local-dir` notes what it fetched: a revision, the hub's name of the content, which
// of large files is the SHA-256, and the time.
std::optional<KnownSum> SumOfDownload(const std::string& folder, std::string_view file) {
  for (const char* const place : {".cache/huggingface/download", ".huggingface/download"}) {
    const fs::path path = fs::path(folder) / place / (std::string(file) + ".metadata");
    std::ifstream lines(path);
    std::string revision, sum;
    if (std::getline(lines, revision) && std::getline(lines, sum) && IsSha256(sum)) {
      return KnownSum{Lower(sum), path.string()};
    }
  }
  return std::nullopt;
}

// A blob in the hub's cache is called after its SHA-256, if it is large.
std::optional<KnownSum> SumOfBlob(const std::string& path) {
  std::error_code error;
  if (!fs::is_symlink(path, error)) return std::nullopt;
  const fs::path blob = fs::canonical(path, error);
  const std::string name = blob.filename().string();
  if (error || !IsSha256(name)) return std::nullopt;
  return KnownSum{Lower(name), "the name of its blob"};
}

}  // namespace

KnownSums KnownSums::Read(const std::string& path) {
  KnownSums sums;
  std::error_code error;
  if (fs::is_directory(path, error)) {
    sums.ReadPointers(path);
    if (sums.by_path_.empty()) RefuseList(path, "no Git LFS pointers");
    return sums;
  }
  std::ifstream file(path, std::ios::binary);
  if (!file) throw Error(ErrorKind::kInput, path + ": " + std::strerror(errno));
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  if (const std::optional<std::string> sum = SumOfPointer(text)) {
    sums.Add(fs::path(path).filename().string(), *sum, path);
  } else {
    sums.ReadLines(text, path);
  }
  if (sums.by_path_.empty()) RefuseList(path, "no sums");
  return sums;
}

void KnownSums::ReadLines(const std::string& text, const std::string& path) {
  std::istringstream lines(text);
  size_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (line.ends_with('\r')) line.pop_back();
    if (line.empty() || line.starts_with('#')) continue;
    const std::optional<Line> parsed = ParseLine(line);
    if (!parsed) RefuseList(path + ": line " + std::to_string(number), Quoted(line));
    Add(parsed->name, parsed->sha256, path);
  }
}

void KnownSums::ReadPointers(const std::string& folder) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    std::error_code no_size;
    const auto size =
        entry.is_regular_file(no_size) ? entry.file_size(no_size) : kLongestPointer + 1;
    if (no_size || size > kLongestPointer) continue;
    const std::string path = entry.path().string();
    if (const auto sum = SumOfPointer(ReadStart(path, kLongestPointer))) {
      Add(entry.path().filename().string(), *sum, path);
    }
  }
}

void KnownSums::Add(const std::string& name, std::string sha256, const std::string& source) {
  const auto [known, is_new] = by_path_.emplace(name, KnownSum{sha256, source});
  if (is_new || known->second.sha256 == sha256) return;
  throw Error(ErrorKind::kInput, source + ": found two sums of " + Quoted(name) + ", expected one");
}

std::optional<KnownSum> KnownSums::Find(const ModelFiles& files, std::string_view file) const {
  if (const auto exact = by_path_.find(file); exact != by_path_.end()) return exact->second;
  // A list that was made elsewhere: any folder, if it has one file of that name.
  const KnownSum* found = nullptr;
  const std::string end = "/" + std::string(file);
  for (const auto& [path, sum] : by_path_) {
    if (!path.ends_with(end)) continue;
    if (found != nullptr && found->sha256 != sum.sha256) {
      throw Error(ErrorKind::kInput, sum.source + ": found several files of the name " +
                                         Quoted(file) + ", expected one");
    }
    found = &sum;
  }
  if (found != nullptr) return *found;
  const std::string path = files.PathOf(file);
  if (const auto noted = SumOfDownload(fs::path(path).parent_path().string(), file)) return noted;
  return SumOfBlob(path);
}

}  // namespace cedar
