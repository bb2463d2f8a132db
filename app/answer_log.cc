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

#include "app/new_file.h"
#include "simd/error.h"

namespace cedar {
namespace {

using Json = nlohmann::json;

bool IsRegularFile(const std::string& path) {
  struct stat status;
  return stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

// A member of an object, or null.
const Json& Member(const Json& object, const char* name) {
  static const Json kNull;
  const auto it = object.is_object() ? object.find(name) : object.end();
  return it == object.end() ? kNull : *it;
}

// As LineId makes them (app/batch_response.h).
bool HasOurName(const Json& line) {
  const Json& id = Member(line, "id");
  return id.is_string() && id.get_ref<const std::string&>().starts_with("batch_req_");
}

// Whether a line says that its request failed; nothing if it is no whole line of ours.
std::optional<bool> HasFailed(const Json& line) {
  if (!HasOurName(line) || !Member(line, "custom_id").is_string()) return std::nullopt;
  const Json& response = Member(line, "response");
  const Json& status = Member(response, "status_code");
  const Json& error = Member(line, "error");
  if (!status.is_number_unsigned()) return std::nullopt;
  if (error.is_object() && status != 200) return true;
  const bool answered =
      error.is_null() && status == 200 && Member(Member(response, "body"), "choices").is_array();
  return answered ? std::optional(false) : std::nullopt;
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
  if (has_ours_) return;
  std::ifstream file(path_, std::ios::binary);
  if (const int first = file.get(); file.eof() || (first == '{' && damaged_ == 0)) return;
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
  if (damaged_ > 0) {
    std::fprintf(stderr, "%s: %zu %s damaged: dropped, as if never written\n", path_.c_str(),
                 damaged_, damaged_ == 1 ? "line is" : "lines are");
  }
  kept_bytes_ = at;
  if (std::filesystem::file_size(path_) > at &&
      truncate(path_.c_str(), static_cast<off_t>(at)) != 0)
    Fail(path_);
}

void AnswerLog::AddEntry(const std::string& text, size_t at) {
  const Json line = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  has_ours_ |= HasOurName(line);
  const std::optional<bool> failed = HasFailed(line);
  if (!failed) {
    ++damaged_;
    return;
  }
  // Of two with one id the later one counts: it is the second try of a failed line.
  const auto [it, added] =
      entries_.insert_or_assign(line["id"].get<std::string>(), Entry{at, text.size() + 1, *failed});
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
  if (!has_stale_ && damaged_ == 0 && claimed_ == entries_.size()) return;
  std::vector<Entry> kept;
  size_t lost = 0;
  for (const auto& [id, entry] : entries_) {
    if (entry.claimed) kept.push_back(entry);
    lost += !entry.claimed && !entry.failed;
  }
  if (lost > 0) {
    std::fprintf(
        stderr,
        "%s: %zu earlier %s dropped: their lines, or what acts on them, changed or vanished\n",
        path_.c_str(), lost, lost == 1 ? "answer" : "answers");
  }
  std::sort(kept.begin(), kept.end(),
            [](const Entry& a, const Entry& b) { return a.offset < b.offset; });
  NewFile out(path_);
  std::ifstream file(path_, std::ios::binary);
  for (const Entry& entry : kept) Copy(file, entry.offset, entry.bytes, out);
  Copy(file, kept_bytes_, std::filesystem::file_size(path_) - kept_bytes_, out);
  out.Commit();
}

void AnswerLog::Copy(std::ifstream& file, size_t offset, size_t bytes, NewFile& out) const {
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
