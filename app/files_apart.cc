#include "app/files_apart.h"

#include <filesystem>
#include <string>
#include <vector>

#include "app/same_file.h"
#include "simd/error.h"

namespace cedar {
namespace {

namespace fs = std::filesystem;

// A file of the run.
struct Named {
  const char* option;
  std::string given;  // on the command line
  std::string path;
  bool written = true;
  bool made = false;  // it is what is made on the way to `given`
};

[[noreturn]] void Refuse(const Named& file, const std::string& reason) {
  throw Error(ErrorKind::kUsage,
              std::string(file.option) + ": found \"" + file.given + "\", " + reason);
}

// Those that the command line names; "-" by the file that it may lead to.
std::vector<Named> GivenFiles(const BatchOptions& options) {
  std::vector<Named> files;
  const auto add = [&](const char* option, const std::string& path, bool written) {
    if (path.empty()) return;
    const char* const standard = written ? "/dev/stdout" : "/dev/stdin";
    files.push_back({option, path, path == "-" ? standard : path, written});
  };
  add("-i", options.input, false);
  add("-o", options.output, true);
  add("-e", options.errors.value_or(""), true);
  add("--summary", options.summary.value_or(""), true);
  add("--metrics", options.metrics.value_or(""), true);
  return files;
}

// Whether other names are needed to write it.
bool IsMadeAnew(const Named& file) {
  std::error_code ignored;
  const fs::file_status status = fs::status(file.path, ignored);
  return file.written && (fs::is_regular_file(status) || !fs::exists(status));
}

// With those that are made beside them.
std::vector<Named> AllFiles(const BatchOptions& options) {
  std::vector<Named> files = GivenFiles(options);
  const size_t given = files.size();
  for (size_t i = 0; i < given; ++i) {
    if (!IsMadeAnew(files[i])) continue;
    for (const char* suffix : {".part", "~"}) {
      Named made = files[i];
      made.path = TargetOf(made.path) + suffix;
      made.made = true;
      files.push_back(std::move(made));
    }
  }
  return files;
}

// What is made on the way takes a name, not what other names lead to.
bool Collide(const Named& a, const Named& b) {
  if (a.option == b.option || (!a.written && !b.written)) return false;
  if (a.made && b.made) return false;
  if (a.given == "-" && b.given == "-") return false;  // two things in one stream
  return a.made || b.made ? PlaceOf(a.path) == PlaceOf(b.path) : IsSameFile(a.path, b.path);
}

void CheckPair(const Named& before, const Named& file) {
  if (!Collide(before, file)) return;
  const Named& made = before.made ? before : file;
  if (!made.made) {
    Refuse(file, std::string("which is the file of ") + before.option + ": expected another one");
  }
  const Named& other = before.made ? file : before;
  Refuse(other, "which " + std::string(made.option) + " needs beside \"" + made.given +
                    "\": expected another one");
}

// Written files must not be regular files of a folder whose names end so.
void CheckFolder(const std::vector<Named>& files, const std::string& folder,
                 const std::string& suffix, const std::string& what) {
  std::error_code error;
  fs::directory_iterator it(folder, error);
  for (; !error && it != fs::directory_iterator(); it.increment(error)) {
    const std::string path = it->path();
    if (!path.ends_with(suffix)) continue;
    for (const Named& file : files) {
      if (file.written && !file.made && RegularFileId(path) && IsSameFile(path, file.path)) {
        Refuse(file, "which is a file of " + what + ": expected another one");
      }
    }
  }
}

void CheckCache(const std::vector<Named>& files, const std::string& folder) {
  CheckFolder(files, folder, ".kv", "--cache-dir");
  const std::string place = PlaceOf(folder);
  for (const Named& file : files) {
    if (file.given != "-" && PlaceOf(file.path) == place) {
      Refuse(file, "which is the folder of --cache-dir: expected another one");
    }
  }
}

}  // namespace

void CheckFilesApart(const BatchOptions& options) {
  const std::vector<Named> files = AllFiles(options);
  for (size_t i = 1; i < files.size(); ++i) {
    for (size_t j = 0; j < i; ++j) CheckPair(files[j], files[i]);
  }
  CheckFolder(files, options.model, "", "the model");
  if (options.cache_dir) CheckCache(files, *options.cache_dir);
}

}  // namespace cedar
