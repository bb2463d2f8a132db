#include "app/line_source.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

#include "app/batch_line.h"
#include "app/interrupt.h"
#include "app/text_input.h"
#include "simd/error.h"

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
      : descriptor_(descriptor), name_(std::move(name)), longest_(longest), total_(CountLines()) {}
  ~FileLines() override {
    if (descriptor_ != STDIN_FILENO) close(descriptor_);
  }

  Status Next(bool wait, InputLine& line) override {
    bool passed_over = false;
    while (true) {
      if (const std::optional<std::string> text = TakeLine()) {
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
      if (!wait && (passed_over || !IsReadable())) return Status::kNotYet;
      Read();
      passed_over = PassOver();
    }
  }
  std::optional<size_t> total() const override { return total_; }

  void Rewind() override {
    lseek(descriptor_, 0, SEEK_SET);
    buffer_ = {};
    at_ = searched_ = number_ = 0;
    passed_ = {};
    ended_ = false;
  }

 private:
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
    const size_t held = buffer_.size() - at_;
    if (passed_.bytes + held <= longest_) return false;
    if (buffer_.find('\n', std::max(at_, searched_)) != buffer_.npos) return false;
    passed_.digest = Digest(std::string_view(buffer_).substr(at_), passed_.digest);
    passed_.bytes += held;
    buffer_.clear();
    at_ = searched_ = 0;
    return true;
  }

  // Such a line, whose last bytes are `rest`. Its text is what tells it from others.
  InputLine TooLong(std::string_view rest) {
    const Passed passed = std::exchange(passed_, {});
    const std::string found = std::to_string(passed.bytes + rest.size()) + " bytes";
    return {.number = number_,
            .text = found + " " + std::to_string(Digest(rest, passed.digest)),
            .failure = "line: found " + found + ", expected at most " + std::to_string(longest_) +
                       " (a share of --memory)",
            .custom_id = {},
            .failure_code = "line_too_long"};
  }

  bool IsReadable() const {
    pollfd file{descriptor_, POLLIN, 0};
    return poll(&file, 1, 0) > 0;
  }

  void Read() {
    AwaitInput(descriptor_);
    buffer_.erase(0, at_);
    searched_ -= std::min(searched_, at_);
    at_ = 0;
    constexpr size_t kChunk = size_t{1} << 16;
    const size_t before = buffer_.size();
    buffer_.resize(before + kChunk);
    const ssize_t n = read(descriptor_, buffer_.data() + before, kChunk);
    const int error = errno;
    buffer_.resize(before + static_cast<size_t>(std::max<ssize_t>(n, 0)));
    if (n < 0 && error == EINTR) return CheckInterrupt();
    if (n < 0) throw Error(ErrorKind::kInput, name_ + ": cannot read: " + std::strerror(error));
    ended_ = n == 0;
  }

  // Of a regular file: how many lines are not blank.
  std::optional<size_t> CountLines() {
    struct stat status;
    if (fstat(descriptor_, &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
    size_t lines = 0;
    InputLine line;
    while (Next(/*wait=*/true, line) == Status::kLine) ++lines;
    Rewind();
    return lines;
  }

  int descriptor_;
  std::string name_;
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
