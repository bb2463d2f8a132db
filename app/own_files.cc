#include "app/own_files.h"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "app/document_source.h"
#include "app/same_file.h"
#include "simd/error.h"

namespace cedar {
namespace {

namespace fs = std::filesystem;

// How what a batch writes begins: answers and errors, a summary, metrics.
constexpr std::string_view kAnswers = "{\"id\":\"batch_req_", kSummary = "{\n \"",
                           kMetrics = "# HELP llamacpp:";

// Whether such a batch may have written this, whole or in part.
bool BeginsWith(const std::string& path, std::string_view begin) {
  std::ifstream file(path, std::ios::binary);
  std::string head(begin.size(), '\0');
  file.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<size_t>(file.gcount()));
  return begin.starts_with(head);
}

// A file that the command writes.
struct OwnFile {
  std::string option;
  std::string path;
  bool replaceable;  // nothing is lost if it is written
};

class OwnFiles {
 public:
  explicit OwnFiles(const BatchOptions& options) {
    AddOutput("-o", options.output, kAnswers);
    AddOutput("-e", options.errors.value_or(""), kAnswers);
    AddOutput("--summary", options.summary.value_or(""), kSummary);
    AddOutput("--metrics", options.metrics.value_or(""), kMetrics);
    if (options.cache_dir) AddCache(*options.cache_dir);
  }

  // The one that this path leads to, or null.
  const OwnFile* Find(const std::string& path) const {
    if (const std::optional<FileId> id = RegularFileId(path)) {
      const auto it = by_id_.find(*id);
      return it == by_id_.end() ? nullptr : &it->second;
    }
    if (by_place_.empty() || fs::exists(path)) return nullptr;
    const auto it = by_place_.find(PlaceOf(path));
    return it == by_place_.end() ? nullptr : &it->second;
  }

 private:
  void AddOutput(const std::string& option, const std::string& path, std::string_view begin) {
    if (path.empty() || path == "-") return;
    Add({option, path, BeginsWith(path, begin)});
    // Beside a link, and beside the file that it leads to.
    for (const std::string& name : {path, PlaceOf(path)}) {
      for (const char* end : {"~", ".part"}) Add({option, name + end, true});
      AddOlderCopies(option, name);
    }
  }

  // As app/kept_copy.h numbers them.
  void AddOlderCopies(const std::string& option, const std::string& name) {
    for (size_t i = 1;; ++i) {
      const std::string copy = name + ".~" + std::to_string(i) + "~";
      if (!RegularFileId(copy)) return;
      Add({option, copy, true});
    }
  }

  void AddCache(const std::string& folder) {
    std::error_code none;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, none)) {
      if (entry.path().extension() == ".kv") Add({"--cache-dir", entry.path(), true});
    }
  }

  void Add(const OwnFile& file) {
    if (const std::optional<FileId> id = RegularFileId(file.path)) {
      by_id_.emplace(*id, file);
    } else {
      by_place_.emplace(PlaceOf(file.path), file);
    }
  }

  std::map<FileId, OwnFile> by_id_;
  std::map<std::string, OwnFile> by_place_;  // those that are not there yet
};

// A list of documents is read whole, but would be gone.
void CheckLists(const OwnFiles& own, const std::vector<std::string>& values) {
  for (const std::string& value : values) {
    if (!value.starts_with('@')) continue;
    if (const OwnFile* const file = own.Find(value.substr(1))) {
      throw Error(ErrorKind::kUsage, file->option + " " + file->path +
                                         ": would overwrite the list --documents " + value);
    }
  }
}

}  // namespace

std::vector<std::string> WithoutOwnFiles(const BatchOptions& options,
                                         std::vector<std::string> documents) {
  const OwnFiles own(options);
  CheckLists(own, options.documents);
  std::vector<std::string> others;
  std::string left_out;
  for (std::string& path : documents) {
    const OwnFile* const file = own.Find(path);
    if (file == nullptr) {
      others.push_back(std::move(path));
      continue;
    }
    if (!file->replaceable) {
      throw Error(ErrorKind::kUsage, file->option + " " + file->path +
                                         ": would overwrite the document " + DocumentName(path));
    }
    left_out += (left_out.empty() ? "" : ", ") + DocumentName(path);
  }
  if (others.empty()) {
    throw Error(ErrorKind::kUsage,
                "--documents: found only files that this command writes: " + left_out);
  }
  if (!left_out.empty()) {
    std::fprintf(stderr, "left out of the documents, as this command writes it: %s\n",
                 left_out.c_str());
  }
  return others;
}

}  // namespace cedar
