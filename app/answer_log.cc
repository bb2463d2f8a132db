#include "app/answer_log.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <utility>

#include "app/answer_settings.h"
#include "app/batch_line.h"
#include "app/kept_copy.h"
#include "app/new_file.h"
#include "app/same_file.h"
#include "simd/error.h"

namespace cedar {
namespace {

PageKey KeyOfLine(const LineId& line) {
  const std::string name = std::to_string(line.occurrence) + " " + line.custom_id;
  return KeyOf({reinterpret_cast<const uint8_t*>(name.data()), name.size()});
}

Output Open(const std::string& path) {
  return path == "-" ? Output::Standard() : Output::Append(path);
}

// The beginning of a line of somebody's, for people.
std::string Excerpt(std::string_view text) {
  constexpr size_t kMost = 40;
  std::string shown(text.substr(0, kMost));
  for (char& byte : shown) {
    if (static_cast<unsigned char>(byte) < ' ' || byte == 0x7F) byte = '?';
  }
  return "\"" + shown + (text.size() > kMost ? "..." : "") + "\"";
}

}  // namespace

AnswerLog::AnswerLog(const std::string& path, const Policy& policy)
    : path_(path), policy_(policy), output_(Open(path)) {
  if (path == "-" || !RegularFileId(path)) return;
  Claim();
  bytes_ = std::filesystem::file_size(path);
  if (policy.resume) ReadLines();
}

// Another run may have put a new file in its place just before it was claimed.
void AnswerLog::Claim() {
  output_.Claim();
  while (!output_.IsAt(path_)) {
    output_ = Open(path_);
    output_.Claim();
  }
}

// Line by line: what earlier runs wrote may be larger than the memory.
void AnswerLog::ReadLines() {
  std::ifstream file(path_, std::ios::binary);
  size_t at = 0;
  for (std::string text; std::getline(file, text); at += text.size() + 1) {
    ++line_number_;
    TakeLine(text, at, /*last=*/file.eof());
  }
  if (!file.eof()) throw Error(ErrorKind::kInput, path_ + ": cannot read");
  if (foreign_) RefuseForeign();
}

void AnswerLog::TakeLine(std::string_view text, size_t at, bool last) {
  const JudgedLine judged = JudgeLine(text, last);
  switch (judged.state) {
    case LineState::kWhole:
      return Add(*judged.line, at, text.size(), !last);
    case LineState::kForeign:
      if (!foreign_) foreign_ = "line " + std::to_string(line_number_) + ", " + Excerpt(text);
      return;
    case LineState::kBlank:
      (last ? torn_ : blank_) += text.size() + !last;
      return;
    case LineState::kTorn:
    case LineState::kDamaged:
      break;
  }
  const std::vector<WholePiece> pieces = WholeLinesIn(text);
  if (pieces.empty() && judged.state == LineState::kTorn) {
    torn_ = text.size();
    return;
  }
  ++damaged_;
  for (const WholePiece& piece : pieces) Add(piece.line, at + piece.offset, piece.bytes, false);
}

void AnswerLog::Add(const EarlierLine& line, size_t offset, size_t bytes, bool ended) {
  Entry entry{.offset = offset,
              .bytes = bytes,
              .ended = ended,
              .digest = line.id.digest,
              .settings = Digest(line.id.settings),
              .is_signed = !line.id.settings.empty(),
              .cut = line.id.cut,
              .failed = line.failed()};
  const auto number = static_cast<uint32_t>(entries_.size());
  const auto [it, added] = latest_.try_emplace(KeyOfLine(line.id), number);
  if (!added) entry.before = std::exchange(it->second, number);
  answers_ += !entry.failed;
  entries_.push_back(entry);
}

// What is not the work of an earlier run is somebody's, even beside answers.
void AnswerLog::RefuseForeign() const {
  const std::string found = entries_.empty()
                                ? "found a file without a single answer (" + *foreign_ + ")"
                                : "found " + *foreign_ + ", between answers";
  throw Error(ErrorKind::kInput,
              path_ + ": " + found +
                  ", expected answers of an earlier run and nothing else (--no-resume sets the "
                  "file aside as " +
                  TargetOf(path_) + "~ and begins anew)");
}

// The latest one first.
template <typename Visit>
void AnswerLog::ForEach(const LineId& line, const Visit& visit) {
  const auto it = latest_.find(KeyOfLine(line));
  uint32_t at = it == latest_.end() ? kNone : it->second;
  for (; at != kNone; at = entries_[at].before) {
    if (entries_[at].fate != Fate::kGone) visit(entries_[at]);
  }
}

// Whether it is what this run would make. Whose settings are not known may be.
bool AnswerLog::IsOf(const Entry& entry, const LineId& line) const {
  if (!entry.is_signed) return !entry.failed;
  // An answer to prompts that fit is the same whether others may be cut or not.
  const bool same_cut = entry.failed ? entry.cut == line.cut : !entry.cut || line.cut;
  return entry.digest == line.digest && entry.settings == Digest(line.settings) && same_cut;
}

AnswerLog::Finding AnswerLog::Find(const LineId& line) {
  Entry* answer = nullptr;
  Entry* failure = nullptr;
  std::vector<Entry*> changed;
  ForEach(line, [&](Entry& entry) {
    if (!entry.failed && !std::exchange(entry.found, true)) {
      ++found_;
      unsigned_ += !entry.is_signed;
      if (begun_) SayUnsigned();
    }
    if (entry.failed) {
      if (failure == nullptr) failure = &entry;
    } else if (!IsOf(entry, line)) {
      changed.push_back(&entry);
    } else {
      if (answer == nullptr) answer = &entry;
    }
  });
  if (policy_.redo) {
    for (Entry* entry : changed) LetGo(*entry);
  }
  if (answer != nullptr) {
    answer->done = true;
    Supersede(line);
    return {Known::kAnswered};
  }
  if (!changed.empty() && !policy_.redo) return Changed(*changed.front(), line);
  const bool stays = failure != nullptr && !policy_.retry && IsOf(*failure, line);
  return stays && changed.empty() ? Failed(*failure) : Finding{};
}

bool AnswerLog::Has(const std::string& custom_id) {
  bool has = false;
  ForEach({.custom_id = custom_id}, [&](const Entry&) { has = true; });
  return has;
}

bool AnswerLog::IsDone(const std::string& custom_id) {
  bool done = false;
  ForEach({.custom_id = custom_id}, [&](const Entry& entry) { done |= entry.done; });
  return done;
}

void AnswerLog::Supersede(const LineId& line) {
  ForEach(line, [](Entry& entry) {
    if (entry.failed) entry.fate = Fate::kGoes;
  });
}

// Of an answer that is made anew. While lines come one by one it stays until that is done.
void AnswerLog::LetGo(Entry& entry) {
  if (begun_ && entry.fate == Fate::kStays) {
    SetAside();
    entry.fate = Fate::kUntilWritten;
  }
  if (!begun_) entry.fate = Fate::kGoes;
}

EarlierLine AnswerLog::Read(const Entry& entry) const {
  std::ifstream file(path_, std::ios::binary);
  std::string text(entry.bytes, '\0');
  file.seekg(static_cast<std::streamoff>(entry.offset));
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  const JudgedLine judged = JudgeLine(text, /*last=*/false);
  if (!file || !judged.line) throw Error(ErrorKind::kInput, path_ + ": cannot read");
  return *judged.line;
}

AnswerLog::Finding AnswerLog::Changed(const Entry& entry, const LineId& line) const {
  return {Known::kChanged, {}, WhatChanged(Read(entry).id, line)};
}

AnswerLog::Finding AnswerLog::Failed(const Entry& entry) const {
  const EarlierLine line = Read(entry);
  return {Known::kFailed, line.failure_code, line.message};
}

// As the file was before this run.
void AnswerLog::SetAside() {
  if (std::exchange(set_aside_, true)) return;
  const std::string copy = KeepCopy(path_, bytes_);
  std::fprintf(stderr, "%s: as it was before this run, it is kept as %s\n", path_.c_str(),
               copy.c_str());
}

void AnswerLog::Begin() {
  begun_ = true;
  SayUnsigned();
  if (bytes_ == 0) return;
  if (!policy_.resume) {
    SetAside();
    output_.Empty();
    bytes_ = 0;
    return;
  }
  const bool lose = std::any_of(entries_.begin(), entries_.end(), [](const Entry& entry) {
    return entry.fate == Fate::kGoes && !entry.failed;
  });
  if (!lose && damaged_ == 0 && blank_ == 0) return MendEnd();
  if (lose || damaged_ > 0) SetAside();
  Rewrite();
  if (damaged_ == 0) return;
  std::fprintf(stderr, "%s: %zu %s damaged: what is no whole answer was dropped\n", path_.c_str(),
               damaged_, damaged_ == 1 ? "line is" : "lines are");
}

void AnswerLog::SayUnsigned() {
  if (unsigned_ == 0 || std::exchange(said_unsigned_, true)) return;
  std::fprintf(
      stderr,
      "warning: %s: an older version wrote answers there that do not tell whether request, "
      "options and model are still the same: they count as done (--no-resume begins "
      "anew)\n",
      path_.c_str());
}

// Takes off what is torn, or puts the last line's end on.
void AnswerLog::MendEnd() {
  bytes_ -= torn_;
  if (torn_ > 0 && truncate(path_.c_str(), static_cast<off_t>(bytes_)) != 0) {
    throw Error(ErrorKind::kInput, path_ + ": cannot write: " + std::strerror(errno));
  }
  if (entries_.empty() || entries_.back().ended) return;
  output_.Write("\n");
  bytes_ += 1;
  entries_.back().ended = true;
}

void AnswerLog::Write(const LineId& line, std::string_view text) {
  output_.Write(text);
  ForEach(line, [](Entry& entry) {
    if (entry.failed || entry.fate == Fate::kUntilWritten) entry.fate = Fate::kGoes;
  });
}

void AnswerLog::Finish() {
  const bool any = std::any_of(entries_.begin(), entries_.end(),
                               [](const Entry& entry) { return entry.fate == Fate::kGoes; });
  if (any) Rewrite();
  output_.Sync();
  output_.Close();
}

// The old file is whole until the new one is.
void AnswerLog::Rewrite() {
  NewFile out(path_);
  std::ifstream file(path_, std::ios::binary);
  std::vector<size_t> offsets;
  size_t size = 0;
  for (const Entry& entry : entries_) {
    offsets.push_back(size);
    if (entry.fate == Fate::kGoes || entry.fate == Fate::kGone) continue;
    CopyBytes(file, path_, entry.offset, entry.bytes, out);
    out.Write("\n");
    size += entry.bytes + 1;
  }
  const size_t all = std::filesystem::file_size(path_);
  CopyBytes(file, path_, bytes_, all - bytes_, out);
  output_ = out.CommitClaimed();
  bytes_ = size;
  for (size_t i = 0; i < entries_.size(); ++i) {
    entries_[i].offset = offsets[i];
    entries_[i].ended = true;
    if (entries_[i].fate == Fate::kGoes) entries_[i].fate = Fate::kGone;
  }
}

}  // namespace cedar
