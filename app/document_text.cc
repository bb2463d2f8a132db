#include "app/document_text.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <string_view>

#include "app/file_kind.h"
#include "app/text_input.h"
#include "simd/quantities.h"
#include "weights/utf8.h"
#include "weights/white_space.h"

namespace cedar {
namespace {

// A file that is open, and what errors call it.
class File {
 public:
  File(const std::string& path, const std::string& name) : name_(name) {
    CheckRegular(path);
    // Should it have become a FIFO just now, nobody waits for who writes to it.
    descriptor_ = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor_ < 0) Fail(std::string("cannot open: ") + std::strerror(errno));
  }
  ~File() { close(descriptor_); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  size_t bytes() const {
    struct stat status;
    return fstat(descriptor_, &status) == 0 ? static_cast<size_t>(status.st_size) : 0;
  }

  // Appends what follows, so much at most and less at the end alone.
  void Read(size_t most, std::string& bytes) const {
    const size_t end = bytes.size() + most;
    size_t at = bytes.size();
    bytes.resize(end);
    while (at < end) {
      const ssize_t got = read(descriptor_, bytes.data() + at, end - at);
      if (got < 0 && errno != EINTR) Fail(std::string("cannot read: ") + std::strerror(errno));
      if (got == 0) break;
      at += static_cast<size_t>(std::max<ssize_t>(got, 0));
    }
    bytes.resize(at);
  }

  [[noreturn]] void Fail(const std::string& what) const {
    throw Error(ErrorKind::kInput, name_ + ": " + what);
  }

 private:
  // Nothing that would wait for somebody who writes, or never end.
  void CheckRegular(const std::string& path) const {
    struct stat status;
    if (stat(path.c_str(), &status) != 0) {
      Fail(std::string("cannot open: ") + std::strerror(errno));
    }
    if (S_ISREG(status.st_mode)) return;
    const char* const kind = S_ISDIR(status.st_mode)    ? "a directory"
                             : S_ISFIFO(status.st_mode) ? "a FIFO"
                             : S_ISSOCK(status.st_mode) ? "a socket"
                                                        : "a device";
    Fail(std::string("found ") + kind + ", expected a regular file" +
         (S_ISDIR(status.st_mode) ? " (DIR/* means the files in it, DIR/** those below it too)"
                                  : ""));
  }

  const std::string& name_;
  int descriptor_ = -1;
};

bool IsBlank(std::string_view text) {
  constexpr char32_t kZeroWidthSpace = 0x200B, kZeroWidthNoBreakSpace = 0xFEFF;
  while (!text.empty()) {
    const Utf8Unit unit = FirstUtf8Unit(text);
    const bool blank = IsWhiteSpace(unit.code_point) || unit.code_point == kZeroWidthSpace ||
                       unit.code_point == kZeroWidthNoBreakSpace;
    if (!blank) return false;
    text.remove_prefix(unit.length);
  }
  return true;
}

void CheckText(const std::string& text, const File& file, const std::string& name) {
  if (const size_t at = text.find('\0'); at != text.npos) {
    file.Fail("byte " + std::to_string(at) + ": found a NUL, as binary files have, expected text");
  }
  CheckUtf8(text, name);
  if (text.empty()) file.Fail("found an empty file, expected text");
  if (IsBlank(text)) file.Fail("found nothing but white space, expected text");
}

}  // namespace

std::string ReadDocument(const std::string& path, const std::string& name, size_t longest) {
  const File file(path, name);
  std::string text;
  file.Read(kKindBytes, text);
  if (const std::optional<std::string> kind = ForeignKind(text)) {
    file.Fail("found " + *kind + ", expected UTF-8 text");
  }
  const auto check_length = [&](size_t bytes) {
    if (bytes <= longest) return;
    throw DocumentTooLong(name + ": found " + ExcessText(bytes, longest) + ", expected at most " +
                          BytesText(longest) + " (a share of --memory)");
  };
  const size_t whole = std::max(file.bytes(), text.size());
  check_length(whole);
  text.reserve(whole + 1);
  // One byte more than there should be: the file may grow, and those of /proc say that they are
  // empty.
  for (size_t more = whole + 1 - text.size(); more > 0;
       more = std::min(kKindBytes, longest + 1 - text.size())) {
    const size_t before = text.size();
    file.Read(more, text);
    if (text.size() < before + more) break;
  }
  check_length(text.size());
  if (WithoutByteOrderMark(text).size() < text.size()) {
    text.erase(0, text.size() - WithoutByteOrderMark(text).size());
  }
  CheckText(text, file, name);
  return text;
}

}  // namespace cedar
