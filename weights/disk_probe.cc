#include "weights/disk_probe.h"

#include <fcntl.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <memory>
#include <mutex>
#include <new>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "simd/workers.h"

namespace cedar {
namespace {

using Clock = std::chrono::steady_clock;

// At once, as the threads of a run and the kernel's reading ahead do.
constexpr int kReaders = 4;
// After that no piece is begun: what a slow disk is still busy with ends within the second.
constexpr std::chrono::milliseconds kTime(500);
// A piece. The first ones are small, lest one of them takes a slow disk the whole time.
constexpr size_t kLeast = size_t{128} << 10, kMost = size_t{1} << 20;
constexpr std::chrono::milliseconds kQuick(20);
// What O_DIRECT wants offsets, lengths and addresses to be multiples of.
constexpr uint64_t kAlignment = 4096;
// Fewer bytes tell nothing.
constexpr size_t kEnough = size_t{1} << 20;

struct Extent {
  uint64_t begin = 0, end = 0;  // bytes of the file
};

class OpenFile {
 public:
  explicit OpenFile(const std::string& path)
      : fd_(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_DIRECT)) {}
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  ~OpenFile() {
    if (fd_ >= 0) close(fd_);
  }
  int fd() const { return fd_; }

 private:
  int fd_;
};

// Extents that are not plainly on disk: yet to be written, compressed, inside the file's entry.
constexpr uint32_t kUnfit = FIEMAP_EXTENT_UNKNOWN | FIEMAP_EXTENT_DELALLOC | FIEMAP_EXTENT_ENCODED |
                            FIEMAP_EXTENT_UNWRITTEN | FIEMAP_EXTENT_NOT_ALIGNED |
                            FIEMAP_EXTENT_DATA_INLINE | FIEMAP_EXTENT_DATA_TAIL;

// The next extent on disk of at least kLeast bytes, at or after `from`; it is not looked for behind
// some hundred others. False if the file system cannot tell, which leaves `found` as it is.
bool NextByFiemap(int fd, uint64_t from, std::optional<Extent>& found) {
  constexpr uint32_t kCount = 32;
  constexpr int kRounds = 16;
  alignas(fiemap) char room[sizeof(fiemap) + kCount * sizeof(fiemap_extent)] = {};
  for (int round = 0; round < kRounds; ++round) {
    fiemap* const map = new (room) fiemap{};
    map->fm_start = from;
    map->fm_length = FIEMAP_MAX_OFFSET - from;
    map->fm_extent_count = kCount;
    if (ioctl(fd, FS_IOC_FIEMAP, map) != 0) return false;
    if (map->fm_mapped_extents == 0) return true;
    for (uint32_t i = 0; i < map->fm_mapped_extents; ++i) {
      const fiemap_extent& extent = map->fm_extents[i];
      const Extent part{std::max(from, uint64_t{extent.fe_logical}),
                        extent.fe_logical + extent.fe_length};
      from = std::max(from, part.end);
      if ((extent.fe_flags & kUnfit) != 0 || part.end < part.begin + kLeast) continue;
      found = part;
      return true;
    }
  }
  return true;
}

std::optional<Extent> NextExtent(int fd, uint64_t from) {
  std::optional<Extent> found;
  if (NextByFiemap(fd, from, found)) return found;
  const off_t begin = lseek(fd, static_cast<off_t>(from), SEEK_DATA);
  const off_t end = begin < 0 ? -1 : lseek(fd, begin, SEEK_HOLE);
  if (end < begin + static_cast<off_t>(kLeast)) return std::nullopt;
  return Extent{static_cast<uint64_t>(begin), static_cast<uint64_t>(end)};
}

struct File {
  std::string path;
  uint64_t size;
};

struct FreeDeleter {
  void operator()(uint8_t* data) const { std::free(data); }
};
using Buffer = std::unique_ptr<uint8_t, FreeDeleter>;

class Probe {
 public:
  explicit Probe(std::vector<File> files) : files_(std::move(files)) {
    for (const File& file : files_) total_ += file.size;
    for (Buffer& buffer : buffers_) {
      buffer.reset(static_cast<uint8_t*>(std::aligned_alloc(kAlignment, kMost)));
      if (buffer == nullptr) throw std::bad_alloc();
    }
  }

  DiskProbe Run() {
    const simd::Workers workers(kReaders, simd::Pinning::kNone);
    start_ = Clock::now();
    workers.ForRanges(kReaders, 1, [&](Range, int worker) { ReadFor(worker); });
    if (refused_) return {{}, "the disk cannot be read past the file cache"};
    if (bytes_ < kEnough) return {{}, "the files hold too little data on disk"};
    const std::chrono::duration<double> seconds = Clock::now() - start_;
    return {static_cast<double>(bytes_) / seconds.count(), ""};
  }

 private:
  void ReadFor(int worker) {
    constexpr int kMostMisses = 64;  // in a row: places with nothing behind them
    std::minstd_rand random(static_cast<unsigned>(worker) + 1);
    std::uniform_int_distribution<uint64_t> place(0, total_ - 1);
    size_t piece = kLeast;
    for (int misses = 0; misses < kMostMisses && !refused_ && Clock::now() < start_ + kTime;) {
      const Clock::time_point begin = Clock::now();
      const size_t got = ReadNear(place(random), piece, buffers_[worker].get());
      misses = got == 0 ? misses + 1 : 0;
      bytes_ += got;
      if (got == piece && Clock::now() - begin < kQuick) piece = std::min(2 * piece, kMost);
    }
  }

  // A piece at this place of all files, or behind it. 0 if there is none, or it was read before.
  size_t ReadNear(uint64_t place, size_t piece, uint8_t* to) {
    size_t i = 0;
    while (place >= files_[i].size) place -= files_[i++].size;
    const OpenFile file(files_[i].path);
    if (file.fd() < 0) {
      refused_ = true;
      return 0;
    }
    const std::optional<Extent> extent = NextExtent(file.fd(), place);
    if (!extent) return 0;
    const uint64_t begin = (extent->begin + kAlignment - 1) / kAlignment * kAlignment;
    const uint64_t end = std::min(extent->end, files_[i].size) / kAlignment * kAlignment;
    if (end <= begin || !IsNew(i, begin)) return 0;
    const ssize_t got =
        pread(file.fd(), to, std::min<size_t>(piece, end - begin), static_cast<off_t>(begin));
    if (got < 0) refused_ = true;
    return got < 0 ? 0 : static_cast<size_t>(got);
  }

  // What was read lately may lie in the cache of a disk or of a host.
  bool IsNew(size_t file, uint64_t begin) {
    const std::scoped_lock lock(mutex_);
    return read_.emplace(file, begin / kMost).second;
  }

  std::vector<File> files_;
  uint64_t total_ = 0;
  Buffer buffers_[kReaders];
  Clock::time_point start_{};
  std::atomic<bool> refused_ = false;
  std::atomic<size_t> bytes_ = 0;
  std::mutex mutex_;
  std::set<std::pair<size_t, uint64_t>> read_;
};

}  // namespace

DiskProbe ProbeDisk(std::span<const std::string> paths) {
  std::vector<File> files;
  for (const std::string& path : paths) {
    struct stat status;
    if (stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode) || status.st_size == 0)
      continue;
    files.push_back({path, static_cast<uint64_t>(status.st_size)});
  }
  if (files.empty()) return {{}, "the files are not here"};
  try {
    return Probe(std::move(files)).Run();
  } catch (const std::exception& error) {  // no threads, no memory
    return {{}, error.what()};
  }
}

bool LiesInMemory(const std::string& path) {
  struct statfs status;
  if (statfs(path.c_str(), &status) != 0) return false;
  const auto type = static_cast<unsigned long>(status.f_type);
  return type == TMPFS_MAGIC || type == RAMFS_MAGIC || type == HUGETLBFS_MAGIC;
}

}  // namespace cedar
