#include "weights/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "simd/error.h"
#include "weights/model_error.h"

namespace cedar {
namespace {

class FileDescriptor {
 public:
  // O_NONBLOCK: opening a FIFO that nobody writes to must not wait.
  explicit FileDescriptor(const std::string& path)
      : fd_(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {}
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;
  ~FileDescriptor() {
    if (fd_ >= 0) close(fd_);
  }
  int get() const { return fd_; }

 private:
  int fd_;
};

[[noreturn]] void RefuseSystem(const std::string& path, int error) {
  throw Error(ErrorKind::kModel, path + ": " + std::strerror(error));
}

size_t RegularFileSize(const std::string& path, int fd) {
  struct stat status;
  if (fstat(fd, &status) != 0) RefuseSystem(path, errno);
  if (S_ISDIR(status.st_mode)) RefuseModel(path, "a directory", "a file");
  if (!S_ISREG(status.st_mode)) RefuseModel(path, "a special file", "a regular file");
  if (status.st_size == 0) RefuseModel(path, "an empty file", "content");
  return static_cast<size_t>(status.st_size);
}

// The whole pages that lie inside the bytes (inner) or that cover them.
std::span<uint8_t> Pages(std::span<const uint8_t> bytes, bool inner) {
  const uintptr_t page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  const uintptr_t begin = reinterpret_cast<uintptr_t>(bytes.data());
  const uintptr_t end = begin + bytes.size();
  const uintptr_t first = (inner ? begin + page - 1 : begin) / page * page;
  const uintptr_t last = (inner ? end : end + page - 1) / page * page;
  return {reinterpret_cast<uint8_t*>(first), last > first ? last - first : 0};
}

// Advice can only change how fast memory answers, so a kernel that does not know it is none the
// worse: the result is not looked at.
void Advise(std::span<uint8_t> pages, int advice) {
  if (!pages.empty()) madvise(pages.data(), pages.size(), advice);
}

}  // namespace

MappedFile MappedFile::Map(const std::string& path) {
  const FileDescriptor file(path);
  if (file.get() < 0) RefuseSystem(path, errno);
  const size_t size = RegularFileSize(path, file.get());
  void* data = mmap(nullptr, size, PROT_READ, MAP_SHARED, file.get(), 0);
  if (data == MAP_FAILED) RefuseSystem(path, errno);
  const std::span<uint8_t> bytes(static_cast<uint8_t*>(data), size);
  // Weights are streamed: larger pages mean fewer faults and larger reads, where the file system
  // can give them.
  Advise(bytes, MADV_HUGEPAGE);
  return MappedFile(path, bytes, /*owned=*/true);
}

MappedFile MappedFile::Borrow(const std::string& path, std::span<const uint8_t> bytes) {
  return MappedFile(path, bytes, /*owned=*/false);
}

MappedFile::MappedFile(std::string path, std::span<const uint8_t> bytes, bool owned)
    : path_(std::move(path)), bytes_(bytes), owned_(owned) {}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : path_(std::move(other.path_)),
      bytes_(std::exchange(other.bytes_, {})),
      owned_(std::exchange(other.owned_, false)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(bytes_, other.bytes_);
  std::swap(owned_, other.owned_);
  return *this;
}

MappedFile::~MappedFile() {
  if (owned_) munmap(const_cast<uint8_t*>(bytes_.data()), bytes_.size());
}

void AdviseRandomAccess(std::span<const uint8_t> bytes) {
  const std::span<uint8_t> pages = Pages(bytes, /*inner=*/true);
  Advise(pages, MADV_RANDOM);
  Advise(pages, MADV_NOHUGEPAGE);
}

void StartReading(std::span<const uint8_t> bytes) {
  if (!bytes.empty()) Advise(Pages(bytes, /*inner=*/false), MADV_WILLNEED);
}

}  // namespace cedar
