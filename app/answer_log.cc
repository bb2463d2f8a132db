#include "app/answer_log.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <vector>

#include "simd/error.h"

namespace cedar {
namespace {

bool IsRegularFile(const std::string& path) {
  struct stat status;
  return stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

[[noreturn]] void Fail(const std::string& path) {
  throw Error(ErrorKind::kInput, path + ": cannot write: " + std::strerror(errno));
}

}  // namespace

Output AnswerLog::Open(const std::string& path, bool resume) {
  if (path == "-") return Output::Standard();
  return resume ? Output::Append(path) : Output::File(path);
}

AnswerLog::AnswerLog(const std::string& path, bool resume)
    : path_(path), output_(Open(path, resume)) {
  if (path == "-" || !IsRegularFile(path)) return;
  output_.Claim();
  if (resume) ReadEntries();
}

// What is not the work of an earlier run is somebody's file.
void AnswerLog::CheckOurs() const {
  if (!entries_.empty()) return;
  std::ifstream file(path_, std::ios::binary);
  if (const int first = file.get(); file.eof() || (first == '{' && !has_stale_)) return;
  throw Error(ErrorKind::kInput,
              path_ +
                  ": found a file without a single answer, expected those of an earlier run "
                  "(--no-resume replaces it)");
}

// Line by line: what earlier runs wrote may be larger than the memory.
void AnswerLog::ReadEntries() {
  std::ifstream file(path_, std::ios::binary);
  size_t at = 0;
  for (std::string text; std::getline(file, text) && !file.eof(); at += text.size() + 1) {
    AddEntry(text, at);
  }
  if (!file.eof()) throw Error(ErrorKind::kInput, path_ + ": cannot read");
  CheckOurs();
  kept_bytes_ = at;
  if (std::filesystem::file_size(path_) > at &&
      truncate(path_.c_str(), static_cast<off_t>(at)) != 0)
    Fail(path_);
}

void AnswerLog::AddEntry(const std::string& text, size_t at) {
  const auto line = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  const bool whole =
      line.is_object() && line.contains("id") && line["id"].is_string() && line.contains("error");
  if (!whole) {
    has_stale_ = true;
    return;
  }
  // Of two with one id the later one counts: it is the second try of a failed line.
  const auto [it, added] = entries_.insert_or_assign(
      line["id"].get<std::string>(), Entry{at, text.size() + 1, !line["error"].is_null()});
  has_stale_ |= !added;
}

AnswerLog::Known AnswerLog::Claim(const std::string& id, bool failed_too) {
  const auto it = entries_.find(id);
  if (it == entries_.end() || (it->second.failed && !failed_too)) return Known::kNo;
  if (!it->second.claimed) ++claimed_;
  it->second.claimed = true;
  return it->second.failed ? Known::kFailed : Known::kAnswered;
}

void AnswerLog::Finish() {
  output_.Close();
  if (!has_stale_ && claimed_ == entries_.size()) return;
  std::vector<Entry> kept;
  for (const auto& [id, entry] : entries_) {
    if (entry.claimed) kept.push_back(entry);
  }
  std::sort(kept.begin(), kept.end(),
            [](const Entry& a, const Entry& b) { return a.offset < b.offset; });
  const std::string draft = path_ + ".part";
  Output out = Output::File(draft);
  std::ifstream file(path_, std::ios::binary);
  for (const Entry& entry : kept) Copy(file, entry.offset, entry.bytes, out);
  Copy(file, kept_bytes_, std::filesystem::file_size(path_) - kept_bytes_, out);
  out.Close();
  if (std::rename(draft.c_str(), path_.c_str()) != 0) Fail(path_);
}

void AnswerLog::Copy(std::ifstream& file, size_t offset, size_t bytes, Output& out) const {
  constexpr size_t kBlock = size_t{1} << 16;
  std::string block;
  file.seekg(static_cast<std::streamoff>(offset));
  for (size_t left = bytes; left > 0; left -= block.size()) {
    block.resize(std::min(left, kBlock));
    if (!file.read(block.data(), static_cast<std::streamsize>(block.size()))) {
      throw Error(ErrorKind::kInput, path_ + ": cannot read");
    }
    out.Write(block);
  }
}

}  // namespace cedar
