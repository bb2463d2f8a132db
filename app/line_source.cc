#include "app/line_source.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

#include "app/batch_line.h"
#include "app/input_bytes.h"
#include "app/json_elements.h"
#include "app/text_input.h"
#include "simd/error.h"
#include "simd/quantities.h"

namespace cedar {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

// What of a line that is too long was passed over.
struct Passed {
  size_t bytes = 0;
  uint64_t digest = Digest("");
};

bool IsBlank(std::string_view line) { return line.find_first_not_of(" \t\r") == line.npos; }

class FileLines : public LineSource {
 public:
  FileLines(int descriptor, std::string name, size_t longest)
      : name_(std::move(name)),
        bytes_(descriptor, name_),
        longest_(longest),
        total_(CountLines()) {}

  Status Next(bool wait, InputLine& line) override {
    bool passed_over = false;
    while (true) {
      if (const std::optional<std::string> text = Take()) {
        ++number_;
        if (passed_.bytes + text->size() > longest_) {
          line = TooLong(*text);
          return Status::kLine;
        }
        if (IsBlank(*text)) continue;
        line = {.number = number_, .text = *text, .failure = {}, .custom_id = {}};
        return Status::kLine;
      }
      if (ended_) return Status::kEnd;
      // A line without end keeps nobody else waiting.
      if (!wait && (passed_over || !bytes_.IsReadable())) return Status::kNotYet;
      Read();
      passed_over = PassOver();
    }
  }
  std::optional<size_t> total() const override { return total_; }

  void Rewind() override {
    bytes_.Rewind();
    layout_.reset();
    element_.reset();
    opened_ = dropped_ = false;
    buffer_ = {};
    at_ = searched_ = number_ = 0;
    passed_ = {};
    ended_ = false;
  }

 private:
  // A request of the buffer, however requests stand in the file.
  std::optional<std::string> Take() {
    if (!layout_) layout_ = LayoutOf(std::string_view(buffer_).substr(at_), ended_);
    if (!layout_) return std::nullopt;
    return *layout_ == Layout::kLines ? TakeLine() : TakeElement();
  }

  // A value of a list, or one that stands on several lines.
  std::optional<std::string> TakeElement() {
    if (!element_) {
      const std::string_view between =
          opened_ ? (*layout_ == Layout::kList ? ", \t\r\n" : " \t\r\n") : "\xEF\xBB\xBF \t\r\n";
      at_ = searched_ = std::min(buffer_.find_first_not_of(between, at_), buffer_.size());
      if (at_ == buffer_.size()) return std::nullopt;
      if (!opened_) {
        opened_ = true;
        at_ += *layout_ == Layout::kList;  // its bracket
        return TakeElement();
      }
      const bool is_list_end = *layout_ == Layout::kList && buffer_[at_] == ']';
      if (is_list_end || (*layout_ == Layout::kSpread && buffer_[at_] != '{')) {
        // What follows stands in lines.
        at_ += is_list_end;
        searched_ = at_;
        layout_ = Layout::kLines;
        return TakeLine();
      }
      element_.emplace(*layout_);
    }
    const std::optional<size_t> end = element_->FindEnd(buffer_, std::max(at_, searched_));
    if (!end && !ended_) {
      searched_ = buffer_.size();
      dropped_ = DropIfLong();
      return std::nullopt;
    }
    std::string text = buffer_.substr(at_, end.value_or(buffer_.size()) - at_);
    at_ = searched_ = end.value_or(buffer_.size());
    element_.reset();
    return text;
  }

  // A line of the buffer; the last one may lack its line end.
  std::optional<std::string> TakeLine() {
    size_t end = buffer_.find('\n', std::max(at_, searched_));
    if (end == buffer_.npos) {
      searched_ = buffer_.size();
      if (!ended_ || (at_ == buffer_.size() && passed_.bytes == 0)) return std::nullopt;
      end = buffer_.size();
    }
    std::string_view text = std::string_view(buffer_).substr(at_, end - at_);
    if (text.ends_with('\r')) text.remove_suffix(1);
    if (number_ == 0 && text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
    std::string line(text);
    at_ = std::min(end + 1, buffer_.size());
    return line;
  }

  // Drops what there is of a line that has no end yet and is too long already.
  bool PassOver() {
    if (layout_ != Layout::kLines) return std::exchange(dropped_, false);
    if (buffer_.find('\n', std::max(at_, searched_)) != buffer_.npos) return false;
    return DropIfLong();
  }

  // Of a request that does not end in the buffer.
  bool DropIfLong() {
    const size_t held = buffer_.size() - at_;
    if (passed_.bytes + held <= longest_) return false;
    passed_.digest = Digest(std::string_view(buffer_).substr(at_), passed_.digest);
    passed_.bytes += held;
    buffer_.clear();
    at_ = searched_ = 0;
    return true;
  }

  // Such a line, whose last bytes are `rest`. Its text is what tells it from others.
  InputLine TooLong(std::string_view rest) {
    const Passed passed = std::exchange(passed_, {});
    const size_t bytes = passed.bytes + rest.size();
    return {.number = number_,
            .text = std::to_string(bytes) + " " + std::to_string(Digest(rest, passed.digest)),
            .failure = "line: found " + ExcessText(bytes, longest_) + ", expected at most " +
                       BytesText(longest_) + " (a share of --memory)",
            .custom_id = {},
            .failure_code = "line_too_long"};
  }

  void Read() {
    buffer_.erase(0, at_);
    searched_ -= std::min(searched_, at_);
    at_ = 0;
    ended_ = !bytes_.Read(buffer_);
    if (!checked_ && !buffer_.empty()) {
      CheckForJson(buffer_, name_);
      checked_ = true;
    }
  }

  // Of a regular file: how many lines are not blank.
  std::optional<size_t> CountLines() {
    if (!bytes_.IsRegular()) return std::nullopt;
    size_t lines = 0;
    InputLine line;
    while (Next(/*wait=*/true, line) == Status::kLine) ++lines;
    Rewind();
    return lines;
  }

  std::string name_;
  InputBytes bytes_;
  bool checked_ = false;                   // that it holds JSON at all
  std::optional<Layout> layout_;           // once that is known
  bool opened_ = false;                    // the list has begun, or the first value
  std::optional<ElementScanner> element_;  // of the value that was begun
  bool dropped_ = false;                   // a part of it, since the last look
  size_t longest_;
  std::string buffer_;
  Passed passed_;
  size_t at_ = 0;        // where the next line begins
  size_t searched_ = 0;  // no line end between at_ and here
  size_t number_ = 0;
  bool ended_ = false;
  std::optional<size_t> total_;
};

}  // namespace

size_t LongestLine(std::optional<size_t> memory) {
  constexpr size_t kShare = 64, kLeast = size_t{256} << 10, kMost = size_t{16} << 20;
  return memory ? std::clamp(*memory / kShare, kLeast, kMost) : kMost;
}

std::unique_ptr<LineSource> OpenLines(const std::string& path, size_t longest) {
  if (path == "-") {
    return std::make_unique<FileLines>(STDIN_FILENO, std::string(kStandardInput), longest);
  }
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) {
    throw Error(ErrorKind::kInput, path + ": cannot read: " + std::strerror(errno));
  }
  return std::make_unique<FileLines>(descriptor, path, longest);
}

}  // namespace cedar
