#include "app/text_input.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>

#include "app/interrupt.h"
#include "simd/error.h"
#include "weights/utf8.h"

namespace cedar {
namespace {

constexpr std::string_view kWhiteSpace = " \t\r\n\v\f";

[[noreturn]] void Fail(std::string_view source, const std::string& what) {
  throw Error(ErrorKind::kInput, std::string(source) + ": " + what);
}

std::string ReadAll(int descriptor, std::string_view source) {
  constexpr size_t kBlock = 1 << 16;
  std::string bytes;
  for (;;) {
    AwaitInput(descriptor);
    const size_t size = bytes.size();
    bytes.resize(size + kBlock);
    const ssize_t got = read(descriptor, bytes.data() + size, kBlock);
    bytes.resize(size + static_cast<size_t>(std::max<ssize_t>(got, 0)));
    if (got == 0) return bytes;
    if (got < 0 && errno != EINTR)
      Fail(source, std::string("cannot read: ") + std::strerror(errno));
  }
}

// A FIFO opens when somebody writes to it; a signal ends the wait.
int OpenToRead(const std::string& path) {
  for (;;) {
    const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor >= 0) return descriptor;
    if (errno != EINTR) Fail(path, std::string("cannot open: ") + std::strerror(errno));
    CheckInterrupt();
  }
}

int32_t ParseId(std::string_view word, std::string_view source, size_t line, size_t vocab) {
  size_t id = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), id);
  if (error != std::errc() || end != word.data() + word.size() || id >= vocab) {
    Fail(source, "line " + std::to_string(line) + ": found \"" + std::string(word.substr(0, 40)) +
                     "\", expected a token id from 0 to " + std::to_string(vocab - 1));
  }
  return static_cast<int32_t>(id);
}

}  // namespace

std::string ReadFile(const std::string& path) {
  const int descriptor = OpenToRead(path);
  struct Closer {
    int descriptor;
    ~Closer() { close(descriptor); }
  } closer{descriptor};
  return ReadAll(descriptor, path);
}

std::string ReadStandardInput() { return ReadAll(STDIN_FILENO, kStandardInput); }

void CheckUtf8(std::string_view text, std::string_view source) {
  const auto offset = FirstInvalidUtf8(text);
  if (!offset) return;
  char byte[8];
  std::snprintf(byte, sizeof(byte), "0x%02x", static_cast<unsigned char>(text[*offset]));
  Fail(source, "byte " + std::to_string(*offset) + ": found " + byte + ", expected UTF-8");
}

std::vector<int32_t> ParseIds(std::string_view text, std::string_view source, size_t vocab) {
  std::vector<int32_t> ids;
  size_t line = 1;
  for (size_t at = 0;;) {
    const size_t begin = std::min(text.find_first_not_of(kWhiteSpace, at), text.size());
    line += static_cast<size_t>(std::count(text.begin() + at, text.begin() + begin, '\n'));
    if (begin == text.size()) break;
    at = std::min(text.find_first_of(kWhiteSpace, begin), text.size());
    ids.push_back(ParseId(text.substr(begin, at - begin), source, line, vocab));
  }
  if (ids.empty()) Fail(source, "empty, expected token ids");
  return ids;
}

}  // namespace cedar
