#ifndef CEDAR_APP_LINE_SOURCE_H_
#define CEDAR_APP_LINE_SOURCE_H_

// Where the requests of a batch come from, one after the other: the lines of a file or of standard
// input, or files of text.

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace cedar {

struct InputLine {
  size_t number = 0;  // from 1; blank lines count
  std::string text;   // without its line end
  // A line that could not be had, and its name: an error of this line, not of the run.
  std::optional<std::string> failure;
  std::string custom_id;
  std::string failure_code = "invalid_request";
  size_t document_bytes = 0;  // of text that is part of the prompt as it stands, if known
};

// Bytes of the longest line that is read: a share of the memory that a run may take, within limits;
// without --memory the upper one. What a line becomes, as JSON and as tokens, takes several times
// its text.
size_t LongestLine(std::optional<size_t> memory);

class LineSource {
 public:
  enum class Status { kLine, kNotYet, kEnd };

  virtual ~LineSource() = default;
  // The next line that is not blank. Without `wait`, kNotYet where one may come later.
  virtual Status Next(bool wait, InputLine& line) = 0;
  // Nothing before the line of this number is wanted any more: it may come or not.
  virtual void SkipTo(size_t) {}
  // The name of the next line, where that is known before the line is read: of documents.
  virtual std::optional<std::string> NextName() const { return std::nullopt; }
  // Passes over a line that has such a name, unread.
  virtual void Skip() {}
  // Back to the first line, where the lines in all are known.
  virtual void Rewind() = 0;
  // Lines in all, if that is known; and how many of them have come.
  virtual std::optional<size_t> total() const = 0;
};

// "-" is standard input. A line of more than `longest` bytes is one that could not be had
// (line_too_long): its text is passed over, never held. Throws Error (kInput) that names the file.
std::unique_ptr<LineSource> OpenLines(const std::string& path, size_t longest);

}  // namespace cedar

#endif  // CEDAR_APP_LINE_SOURCE_H_
