#include "app/output.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "simd/error.h"

namespace cedar {

Output::Output(int descriptor, std::string name, bool owned)
    : descriptor_(descriptor), name_(std::move(name)), owned_(owned) {}

Output Output::Standard() { return Output(STDOUT_FILENO, "standard output", false); }

Output Output::File(const std::string& path) { return FileNamed(path, path); }

Output Output::FileNamed(const std::string& path, const std::string& name) {
  return Open(path, O_TRUNC, name);
}

// Written at its end always: others may hold it open, to be told that it is claimed.
Output Output::NewNamed(const std::string& path, const std::string& name) {
  return Open(path, O_EXCL | O_APPEND, name);
}

Output Output::Append(const std::string& path) { return Open(path, O_APPEND, path); }

Output Output::Open(const std::string& path, int flags, const std::string& name) {
  const int descriptor = open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | flags, 0666);
  if (descriptor < 0) {
    throw Error(ErrorKind::kInput, name + ": cannot write: " + std::strerror(errno));
  }
  return Output(descriptor, name, true);
}

void Output::Claim() const {
  if (flock(descriptor_, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return;
  throw Error(ErrorKind::kInput, name_ + ": another run is writing to it");
}

Output::Output(Output&& other) noexcept
    : descriptor_(other.descriptor_),
      name_(std::move(other.name_)),
      owned_(std::exchange(other.owned_, false)) {}

Output& Output::operator=(Output&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  std::swap(name_, other.name_);
  std::swap(owned_, other.owned_);
  return *this;
}

Output::~Output() {
  if (owned_) close(descriptor_);
}

void Output::Write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(descriptor_, bytes.data(), bytes.size());
    if (written < 0 && errno != EINTR) Fail();
    if (written > 0) bytes.remove_prefix(static_cast<size_t>(written));
  }
}

void Output::Empty() {
  struct stat status;
  const bool regular = fstat(descriptor_, &status) == 0 && S_ISREG(status.st_mode);
  if (regular && ftruncate(descriptor_, 0) != 0) Fail();
}

void Output::Sync() const {
  struct stat status;
  const bool regular = fstat(descriptor_, &status) == 0 && S_ISREG(status.st_mode);
  if (regular && fsync(descriptor_) != 0) Fail();
}

bool Output::IsAt(const std::string& path) const {
  struct stat here, there;
  return fstat(descriptor_, &here) == 0 && stat(path.c_str(), &there) == 0 &&
         here.st_dev == there.st_dev && here.st_ino == there.st_ino;
}

void Output::Close() {
  if (!std::exchange(owned_, false)) return;
  if (close(descriptor_) != 0) Fail();
}

void Output::Fail() const {
  throw Error(ErrorKind::kInput, name_ + ": cannot write: " + std::strerror(errno));
}

}  // namespace cedar
