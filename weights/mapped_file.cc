#include "weights/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "simd/error.h"
#include "weights/model_error.h"

namespace cedar {
namespace {

[[noreturn]] void RefuseSystem(const std::string& path, int error) {
  throw Error(ErrorKind::kModel, path + ": " + std::strerror(error));
}

// The hub's cache is made of links. One that leads nowhere is what a download leaves that was
// stopped.
[[noreturn]] void RefuseMissing(const std::string& path, int error) {
  char target[4096];
  const ssize_t length = error == ENOENT ? readlink(path.c_str(), target, sizeof(target)) : -1;
  if (length < 0) RefuseSystem(path, error);
  RefuseModel(path,
              "a link to " + Quoted({target, static_cast<size_t>(length)}) + ", which is not there",
              "a download that is complete");
}

size_t RegularFileSize(const std::string& path, int fd) {
  struct stat status;
  if (fstat(fd, &status) != 0) RefuseSystem(path, errno);
  if (S_ISDIR(status.st_mode)) RefuseModel(path, "a directory", "a file");
  if (!S_ISREG(status.st_mode)) RefuseModel(path, "a special file", "a regular file");
  if (status.st_size == 0) RefuseModel(path, "an empty file", "content");
  return static_cast<size_t>(status.st_size);
}

uintptr_t PageSize() { return static_cast<uintptr_t>(sysconf(_SC_PAGESIZE)); }

// The whole pages that lie inside the bytes (inner) or that cover them.
std::span<uint8_t> Pages(std::span<const uint8_t> bytes, bool inner) {
  const uintptr_t page = PageSize();
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

// What a clone without Git LFS has in place of a large file: three lines of text.
void RefuseLfsPointer(const MappedFile& file) {
  constexpr std::string_view kBegin = "version https://git-lfs";
  if (!file.text().starts_with(kBegin)) return;
  throw Error(ErrorKind::kModel, file.path() +
                                     ": found a Git LFS pointer; download the file itself: "
                                     "`git lfs pull` in that folder, or `hf download`");
}

}  // namespace

MappedFile MappedFile::Map(const std::string& path) {
  // O_NONBLOCK: opening a FIFO that nobody writes to must not wait.
  MappedFile file(path, {}, open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.fd_ < 0) RefuseMissing(path, errno);
  const size_t size = RegularFileSize(path, file.fd_);
  void* data = mmap(nullptr, size, PROT_READ, MAP_SHARED, file.fd_, 0);
  if (data == MAP_FAILED) RefuseSystem(path, errno);
  const std::span<uint8_t> bytes(static_cast<uint8_t*>(data), size);
  // Weights are streamed: what comes from disk from now on comes in pieces of 2 MB and lies in the
  // cache on huge pages, where the file system can give them.
  Advise(bytes, MADV_HUGEPAGE);
  file.bytes_ = bytes;
  RefuseLfsPointer(file);
  return file;
}

MappedFile MappedFile::Borrow(const std::string& path, std::span<const uint8_t> bytes) {
  return MappedFile(path, bytes, -1);
}

MappedFile::MappedFile(std::string path, std::span<const uint8_t> bytes, int fd)
    : path_(std::move(path)), bytes_(bytes), fd_(fd) {}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : path_(std::move(other.path_)),
      bytes_(std::exchange(other.bytes_, {})),
      fd_(std::exchange(other.fd_, -1)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(bytes_, other.bytes_);
  std::swap(fd_, other.fd_);
  return *this;
}

MappedFile::~MappedFile() {
  if (fd_ < 0) return;
  if (!bytes_.empty()) munmap(const_cast<uint8_t*>(bytes_.data()), bytes_.size());
  close(fd_);
}

Residency MappedFile::residency() const {
  if (fd_ < 0) return Residency::kAlways;
  struct stat status;
  const bool ours = fstat(fd_, &status) == 0 && status.st_uid == geteuid();
  const bool told = ours || faccessat(AT_FDCWD, path_.c_str(), W_OK, AT_EACCESS) == 0;
  return told ? Residency::kTold : Residency::kUntold;
}

bool MappedFile::Read(std::span<const uint8_t> part, uint8_t* to) const {
  if (fd_ < 0) {
    std::copy(part.begin(), part.end(), to);
    return true;
  }
  off_t offset = part.data() - bytes_.data();
  for (size_t left = part.size(); left > 0;) {
    const ssize_t got = pread(fd_, to, left, offset);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;  // an error, or a file that has become shorter
    to += got;
    offset += got;
    left -= static_cast<size_t>(got);
  }
  return true;
}

void MappedFile::ReadPartsOnly() const {
  if (fd_ >= 0) posix_fadvise(fd_, 0, 0, POSIX_FADV_RANDOM);
}

void MappedFile::Drop(std::span<const uint8_t> part) const {
  if (fd_ < 0) return;
  posix_fadvise(fd_, part.data() - bytes_.data(), static_cast<off_t>(part.size()),
                POSIX_FADV_DONTNEED);
}

size_t MappedFile::NextData(size_t offset) const {
  if (fd_ < 0) return offset;
  const off_t data = lseek(fd_, static_cast<off_t>(offset), SEEK_DATA);
  if (data < 0) return errno == ENXIO ? bytes_.size() : offset;
  return std::min(static_cast<size_t>(data), bytes_.size());
}

void AdviseRandomAccess(std::span<const uint8_t> bytes) {
  const std::span<uint8_t> pages = Pages(bytes, /*inner=*/true);
  Advise(pages, MADV_RANDOM);
  Advise(pages, MADV_NOHUGEPAGE);
}

void StartReading(std::span<const uint8_t> bytes) {
  if (!bytes.empty()) Advise(PagesAround(bytes), MADV_WILLNEED);
}

std::span<uint8_t> PagesAround(std::span<const uint8_t> bytes) {
  return Pages(bytes, /*inner=*/false);
}

size_t BytesPresent(std::span<const uint8_t> bytes) {
  constexpr size_t kAtATime = 512;
  std::array<unsigned char, kAtATime> present;
  const size_t page = PageSize();
  size_t sum = 0;
  std::span<uint8_t> pages = PagesAround(bytes);
  while (!pages.empty()) {
    const size_t count = std::min(kAtATime, pages.size() / page);
    if (mincore(pages.data(), count * page, present.data()) != 0) break;
    for (size_t i = 0; i < count; ++i) sum += (present[i] & 1) * page;
    pages = pages.subspan(count * page);
  }
  return sum;
}

bool MayBeAbsent(std::span<const uint8_t> bytes) {
  return BytesPresent(bytes) < PagesAround(bytes).size();
}

}  // namespace cedar
