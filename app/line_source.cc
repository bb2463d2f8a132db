#include "app/line_source.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>

#include "app/interrupt.h"
#include "app/text_input.h"
#include "simd/error.h"

namespace cedar {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

bool IsBlank(std::string_view line) { return line.find_first_not_of(" \t\r") == line.npos; }

class FileLines : public LineSource {
 public:
  FileLines(int descriptor, std::string name)
      : descriptor_(descriptor), name_(std::move(name)), total_(CountLines()) {}
  ~FileLines() override {
    if (descriptor_ != STDIN_FILENO) close(descriptor_);
  }

  Status Next(bool wait, InputLine& line) override {
    while (true) {
      if (const std::optional<std::string> text = TakeLine()) {
        ++number_;
        if (IsBlank(*text)) continue;
        line = {number_, *text, {}, {}};
        return Status::kLine;
      }
      if (ended_) return Status::kEnd;
      if (!wait && !IsReadable()) return Status::kNotYet;
      Read();
    }
  }
  std::optional<size_t> total() const override { return total_; }

 private:
  // A line of the buffer; the last one may lack its line end.
  std::optional<std::string> TakeLine() {
    size_t end = buffer_.find('\n', std::max(at_, searched_));
    if (end == buffer_.npos) {
      searched_ = buffer_.size();
      if (!ended_ || at_ == buffer_.size()) return std::nullopt;
      end = buffer_.size();
    }
    std::string_view text = std::string_view(buffer_).substr(at_, end - at_);
    if (text.ends_with('\r')) text.remove_suffix(1);
    if (number_ == 0 && text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
    std::string line(text);
    at_ = std::min(end + 1, buffer_.size());
    return line;
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
    lseek(descriptor_, 0, SEEK_SET);
    buffer_.clear();
    at_ = searched_ = number_ = 0;
    ended_ = false;
    return lines;
  }

  int descriptor_;
  std::string name_;
  std::string buffer_;
  size_t at_ = 0;        // where the next line begins
  size_t searched_ = 0;  // no line end between at_ and here
  size_t number_ = 0;
  bool ended_ = false;
  std::optional<size_t> total_;
};

}  // namespace

std::unique_ptr<LineSource> OpenLines(const std::string& path) {
  if (path == "-") return std::make_unique<FileLines>(STDIN_FILENO, std::string(kStandardInput));
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) {
    throw Error(ErrorKind::kInput, path + ": cannot read: " + std::strerror(errno));
  }
  return std::make_unique<FileLines>(descriptor, path);
}

std::unique_ptr<LineSource> OpenSource(const BatchOptions& options) {
  if (!options.documents) return OpenLines(options.input);
  return OpenDocuments(*options.documents, options.prompt.value_or(""));
}

}  // namespace cedar
