#ifndef CEDAR_APP_ANSWER_LOG_H_
#define CEDAR_APP_ANSWER_LOG_H_

// A file of finished lines that a later run can go on with. No whole answer leaves it unless that
// was asked for, and then the file as it was stays as NAME~ (app/kept_copy.h). Each line is written
// whole; a run that was killed leaves at most an unfinished last line, which is cut off.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "app/earlier_line.h"
#include "app/line_id.h"
#include "app/output.h"
#include "engine/page_key.h"

namespace cedar {

class NewFile;  // app/new_file.h

class AnswerLog {
 public:
  // What happens to an earlier answer.
  struct Policy {
    bool resume = true;  // else all that stands in the file is set aside
    bool redo = false;   // answers that would now be others are made anew
    bool retry = false;  // so are failures
  };

  // "-" is standard output, which knows no earlier lines. Reads those of a file and changes
  // nothing. Throws Error (kInput) that names the file: also if a line is not our work.
  AnswerLog(const std::string& path, const Policy& policy);

  enum class Known { kNo, kAnswered, kFailed, kChanged };

  struct Finding {
    Known known = Known::kNo;
    // kFailed: why. kChanged: in what (app/answer_settings.h).
    std::string code{};
    std::string message{};
  };

  // What earlier runs made of a line, whose cut says whether prompts may be cut now. kChanged: its
  // answer would be another today; with redo such an answer is on its way out, and kNo.
  Finding Find(const LineId& line);
  // Of the first line with such a custom_id: whether there is anything, and whether Find has found
  // it answered.
  bool Has(const std::string& custom_id);
  bool IsDone(const std::string& custom_id);
  // Takes failures of a line out that has been answered elsewhere.
  void Supersede(const LineId& line);

  // Answers that no line was found for. After all lines were looked for.
  size_t unfound() const { return answers_ - found_; }
  bool empty() const { return entries_.empty(); }

  // Before the first line is written: takes out what is on its way out, and what is damaged.
  void Begin();
  // Adds what became of a line (with its newline); what earlier runs made of it is replaced.
  void Write(const LineId& line, std::string_view text);
  // After the last line, also of a run that was stopped: takes out what was replaced.
  void Finish();

  const std::string& path() const { return path_; }

 private:
  enum class Fate : uint8_t {
    kStays,
    kUntilWritten,  // until its line is written anew
    kGoes,
    kGone,  // no longer in the file
  };
  struct Entry {
    size_t offset = 0;
    size_t bytes = 0;   // without its line end
    bool ended = true;  // there is one
    uint64_t digest = 0;
    uint64_t settings = 0;  // their digest
    bool is_signed = true;
    bool cut = false;
    bool failed = false;
    bool found = false;
    bool done = false;  // it was found to be the answer
    Fate fate = Fate::kStays;
    uint32_t before = kNone;  // an earlier one of the same line
  };
  static constexpr uint32_t kNone = ~uint32_t{0};

  void Claim();
  void ReadLines();
  void TakeLine(std::string_view text, size_t at, bool last);
  void Add(const EarlierLine& line, size_t offset, size_t bytes, bool ended);
  [[noreturn]] void RefuseForeign() const;

  template <typename Visit>
  void ForEach(const LineId& line, const Visit& visit);
  bool IsOf(const Entry& entry, const LineId& line) const;
  EarlierLine Read(const Entry& entry) const;
  Finding Changed(const Entry& entry, const LineId& line) const;
  Finding Failed(const Entry& entry) const;
  void LetGo(Entry& entry);
  void SayUnsigned();
  void SetAside();
  void MendEnd();
  void Rewrite();

  std::string path_;
  Policy policy_;
  Output output_;
  std::vector<Entry> entries_;                    // of earlier runs, in the order of the file
  std::unordered_map<PageKey, uint32_t> latest_;  // of each line
  size_t bytes_ = 0;                              // of the file, as earlier runs left it
  size_t torn_ = 0;                               // of them, at the end
  size_t blank_ = 0;                              // bytes of lines with nothing in them
  size_t line_number_ = 0;                        // of the last one that was read
  size_t damaged_ = 0;                            // lines that are no whole answer
  std::optional<std::string> foreign_;            // the first such line, for people
  bool begun_ = false, set_aside_ = false, said_unsigned_ = false;
  size_t answers_ = 0, found_ = 0;
  size_t unsigned_ = 0;  // of those found: an older version wrote them
};

}  // namespace cedar

#endif  // CEDAR_APP_ANSWER_LOG_H_
