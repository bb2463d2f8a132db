#include "app/answer_log.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <nlohmann/json.hpp>
#include <vector>

#include "app/text_input.h"
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
  if (resume && path != "-" && IsRegularFile(path)) ReadEntries();
}

void AnswerLog::ReadEntries() {
  const std::string text = ReadFile(path_);
  size_t at = 0;
  for (size_t end = text.find('\n'); end != text.npos; end = text.find('\n', at)) {
    const auto line = nlohmann::json::parse(text.begin() + static_cast<long>(at),
                                            text.begin() + static_cast<long>(end), nullptr,
                                            /*allow_exceptions=*/false);
    const size_t bytes = end + 1 - at;
    const bool whole =
        line.is_object() && line.contains("id") && line["id"].is_string() && line.contains("error");
    if (whole) {
      // Of two with one id the later one counts: it is the second try of a failed line.
      const auto [it, added] = entries_.insert_or_assign(
          line["id"].get<std::string>(), Entry{at, bytes, !line["error"].is_null()});
      has_stale_ |= !added;
    } else {
      has_stale_ = true;
    }
    at += bytes;
  }
  kept_bytes_ = at;
  if (at < text.size() && truncate(path_.c_str(), static_cast<off_t>(at)) != 0) Fail(path_);
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
  const std::string text = ReadFile(path_);
  std::map<size_t, size_t> kept;  // offset -> bytes
  for (const auto& [id, entry] : entries_) {
    if (entry.claimed) kept[entry.offset] = entry.bytes;
  }
  const std::string draft = path_ + ".part";
  Output out = Output::File(draft);
  for (const auto& [offset, bytes] : kept) out.Write(std::string_view(text).substr(offset, bytes));
  out.Write(std::string_view(text).substr(kept_bytes_));
  out.Close();
  if (std::rename(draft.c_str(), path_.c_str()) != 0) Fail(path_);
}

}  // namespace cedar
