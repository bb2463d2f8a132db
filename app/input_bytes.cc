#include "app/input_bytes.h"

#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "app/gunzip.h"
#include "app/interrupt.h"
#include "simd/error.h"

namespace cedar {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view kGzip = "\x1f\x8b";

// How files begin that are no JSON lines, longer beginnings first.
struct FileKind {
  std::string_view begin;
  std::string_view what;
};
constexpr std::array kKinds = {
    FileKind{"\xff\xfe\0\0"sv, "UTF-32 text (little-endian)"},
    FileKind{"\0\0\xfe\xff"sv, "UTF-32 text (big-endian)"},
    FileKind{"{\0\0\0"sv, "UTF-32 text (little-endian)"},
    FileKind{"[\0\0\0"sv, "UTF-32 text (little-endian)"},
    FileKind{"\0\0\0{"sv, "UTF-32 text (big-endian)"},
    FileKind{"\0\0\0["sv, "UTF-32 text (big-endian)"},
    FileKind{"\xff\xfe"sv, "UTF-16 text (little-endian)"},
    FileKind{"\xfe\xff"sv, "UTF-16 text (big-endian)"},
    FileKind{"{\0"sv, "UTF-16 text (little-endian)"},
    FileKind{"[\0"sv, "UTF-16 text (little-endian)"},
    FileKind{"\0{"sv, "UTF-16 text (big-endian)"},
    FileKind{"\0["sv, "UTF-16 text (big-endian)"},
    FileKind{"\x28\xb5\x2f\xfd"sv, "zstd data, which zstd -dc unpacks"},
    FileKind{"\xfd\x37zX"sv, "xz data, which xz -dc unpacks"},
    FileKind{"BZh"sv, "bzip2 data, which bzip2 -dc unpacks"},
    FileKind{"PK\x03\x04"sv, "a zip archive, which unzip -p unpacks"},
    FileKind{"PAR1"sv, "a Parquet file"},
    FileKind{"%PDF"sv, "a PDF document"},
};

// Whether so few bytes may yet become the beginning of one of the kinds.
bool MayBecomeKind(std::string_view bytes) {
  const auto may_become = [&](std::string_view begin) {
    return begin.size() > bytes.size() && begin.starts_with(bytes);
  };
  return may_become(kGzip) || std::any_of(kKinds.begin(), kKinds.end(), [&](const FileKind& kind) {
           return may_become(kind.begin);
         });
}

void CheckKind(std::string_view bytes, const std::string& name) {
  for (const FileKind& kind : kKinds) {
    if (!bytes.starts_with(kind.begin)) continue;
    const bool is_text = kind.what.starts_with("UTF");
    throw Error(ErrorKind::kInput,
                name + ": found " + std::string(kind.what) +
                    ", expected JSON in UTF-8, one request a line" +
                    (is_text ? " (iconv -t UTF-8 -f " + std::string(kind.what.substr(0, 6)) +
                                   " converts it)"
                             : ""));
  }
}

}  // namespace

InputBytes::InputBytes(int descriptor, std::string name)
    : descriptor_(descriptor), name_(std::move(name)) {}

InputBytes::~InputBytes() {
  if (descriptor_ != STDIN_FILENO) close(descriptor_);
}

bool InputBytes::Read(std::string& buffer) {
  if (!begun_) Begin();
  if (gunzip_ == nullptr) {
    if (first_.empty()) return ReadRaw(buffer);
    buffer += std::exchange(first_, {});
    return true;
  }
  while (gunzip_->IsHungry()) {
    std::string packed = std::exchange(first_, {});
    if (packed.empty() && !ReadRaw(packed)) {
      gunzip_->Finish();
      return false;
    }
    gunzip_->Feed(std::move(packed));
  }
  gunzip_->Unpack(buffer);
  return true;
}

void InputBytes::Begin() {
  while ((first_.empty() || MayBecomeKind(first_)) && ReadRaw(first_)) {
  }
  begun_ = true;
  CheckKind(first_, name_);
  if (first_.starts_with(kGzip)) gunzip_ = std::make_unique<Gunzip>(name_);
}

bool InputBytes::ReadRaw(std::string& buffer) {
  constexpr size_t kChunk = size_t{1} << 16;
  const size_t before = buffer.size();
  while (true) {
    AwaitInput(descriptor_);
    buffer.resize(before + kChunk);
    const ssize_t n = read(descriptor_, buffer.data() + before, kChunk);
    const int error = errno;
    buffer.resize(before + static_cast<size_t>(std::max<ssize_t>(n, 0)));
    if (n >= 0) return n > 0;
    if (error != EINTR) {
      throw Error(ErrorKind::kInput, name_ + ": cannot read: " + std::strerror(error));
    }
    CheckInterrupt();
  }
}

bool InputBytes::IsReadable() const {
  if (!first_.empty() || (gunzip_ != nullptr && !gunzip_->IsHungry())) return true;
  pollfd file{descriptor_, POLLIN, 0};
  return poll(&file, 1, 0) > 0;
}

void InputBytes::Rewind() {
  lseek(descriptor_, 0, SEEK_SET);
  first_ = {};
  gunzip_.reset();
  begun_ = false;
}

bool InputBytes::IsRegular() const {
  struct stat status;
  return fstat(descriptor_, &status) == 0 && S_ISREG(status.st_mode);
}

void CheckForJson(std::string_view begin, const std::string& name) {
  size_t lines = 0;
  std::string_view first;
  for (std::string_view rest = begin; !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    const size_t at = line.find_first_not_of(" \t\r\xEF\xBB\xBF");
    if (at == line.npos) continue;
    if (line[at] == '{' || line[at] == '[') return;
    if (lines++ == 0) first = line;
  }
  if (lines < 2) return;
  constexpr size_t kShown = 40;
  const auto is_byte = [](char c) { return c < ' ' && c != '\t' && c != '\r'; };
  const bool is_binary = std::any_of(first.begin(), first.end(), is_byte);
  std::string what = "text that begins \"" + std::string(first.substr(0, kShown)) + "\"";
  if (is_binary) what = "binary data";
  if (!is_binary && first.find_first_of(",;\t") != first.npos) what += ", like a table (CSV)";
  throw Error(ErrorKind::kInput, name + ": found " + what + ", expected JSON, one request a line");
}

}  // namespace cedar
