#ifndef CEDAR_APP_ANSWER_LOG_H_
#define CEDAR_APP_ANSWER_LOG_H_

// A file of finished lines that a later run can go on with. Each line is written whole; a run that
// was killed leaves at most an unfinished last line, which is cut off. Lines that something else
// has damaged are dropped too, which standard error is told once.

#include <cstddef>
#include <iosfwd>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "app/output.h"

namespace cedar {

class NewFile;  // app/new_file.h

class AnswerLog {
 public:
  // "-" is standard output, which knows no earlier lines. Without `resume` the file is emptied.
  // Throws Error (kInput) that names the file.
  AnswerLog(const std::string& path, bool resume);

  enum class Known { kNo, kAnswered, kFailed };

  // What an earlier run made of the line with this id, which then counts as claimed. A failed one
  // is only known with `failed_too`.
  Known Claim(const std::string& id, bool failed_too);

  // Adds a line (with its newline).
  void Write(std::string_view line) { output_.Write(line); }

  // After the last line: takes out what earlier runs left and nobody claimed, since its line of the
  // input has changed or gone. Standard error is told how many answers that were.
  void Finish();

  size_t claimed() const { return claimed_; }

 private:
  struct Entry {
    size_t offset;
    size_t bytes;
    bool failed;
    bool claimed = false;
  };

  static Output Open(const std::string& path, bool resume);
  void ReadEntries();
  // A line of an earlier run, without its line end, and where it begins.
  void CheckOurs() const;
  void AddEntry(const std::string& text, size_t at);
  void Copy(std::ifstream& file, size_t offset, size_t bytes, NewFile& out) const;

  std::string path_;
  std::map<std::string, Entry> entries_;  // of earlier runs, by id
  bool has_stale_ = false;                // lines that a later one of the same id replaces
  bool has_ours_ = false;                 // lines with an id as we give them
  size_t damaged_ = 0;                    // lines that are no whole answer
  size_t claimed_ = 0;
  size_t kept_bytes_ = 0;  // of earlier runs
  Output output_;
};

}  // namespace cedar

#endif  // CEDAR_APP_ANSWER_LOG_H_
