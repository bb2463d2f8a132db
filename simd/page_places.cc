// Pages of chosen places, asked for by the kernel's PAGEMAP_SCAN.

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "simd/page_size.h"

namespace cedar::simd {
namespace {

constexpr size_t kPlace = size_t{2} << 20;
constexpr size_t kMostPlaces = 2048;

// The kernel's <linux/fs.h>, of which Debian 12 has an older one.
struct ScanRequest {
  uint64_t size = sizeof(ScanRequest), flags = 0, start = 0, end = 0, walk_end = 0, regions = 0,
           most_regions = 0, most_pages = 0, inverted = 0, all_of = 0, any_of = 0, returned = 0;
};
struct ScanRegion {
  uint64_t start, end, categories;
};
constexpr unsigned long kScan = _IOWR('f', 16, ScanRequest);
constexpr uint64_t kPresent = 1u << 3, kHuge = 1u << 6;

class PageMap {
 public:
  PageMap() : fd_(open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC)) {}
  ~PageMap() {
    if (fd_ >= 0) close(fd_);
  }
  PageMap(const PageMap&) = delete;
  PageMap& operator=(const PageMap&) = delete;

  // Adds the pages around a place. False if the kernel does not tell.
  bool Add(std::span<const uint8_t> place, PageUse& use) const {
    const uint64_t page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
    const uint64_t begin = reinterpret_cast<uintptr_t>(place.data());
    ScanRequest request;
    request.start = begin / page * page;
    request.end = (begin + place.size() + page - 1) / page * page;
    request.regions = reinterpret_cast<uintptr_t>(regions_.data());
    request.most_regions = regions_.size();
    request.all_of = kPresent;
    request.returned = kPresent | kHuge;
    const int found = ioctl(fd_, kScan, &request);
    for (int i = 0; i < found; ++i) {
      const ScanRegion& region = regions_[static_cast<size_t>(i)];
      use.bytes += region.end - region.start;
      if ((region.categories & kHuge) != 0) use.huge_bytes += region.end - region.start;
    }
    return found >= 0;
  }

 private:
  int fd_;
  // Every second page of a place and of one page more may be a region.
  mutable std::array<ScanRegion, 320> regions_;
};

size_t PlacesIn(std::span<const uint8_t> part) { return (part.size() + kPlace - 1) / kPlace; }

size_t Scaled(size_t bytes, size_t all, size_t seen) {
  if (seen >= all) return bytes;
  return static_cast<size_t>(static_cast<double>(bytes) * static_cast<double>(all) /
                             static_cast<double>(seen));
}

}  // namespace

std::optional<PageUse> PagesByPlaces(std::span<const std::span<const uint8_t>> parts) {
  size_t places = 0, all = 0;
  for (const std::span<const uint8_t> part : parts) {
    places += PlacesIn(part);
    all += part.size();
  }
  const size_t stride = std::max<size_t>(1, (places + kMostPlaces - 1) / kMostPlaces);
  const PageMap map;
  PageUse use;
  size_t next = 0, seen = 0;
  for (const std::span<const uint8_t> part : parts) {
    for (size_t at = 0; at < part.size(); at += kPlace) {
      if (next++ % stride != 0) continue;
      const std::span<const uint8_t> place = part.subspan(at, std::min(kPlace, part.size() - at));
      if (!map.Add(place, use)) return std::nullopt;
      seen += place.size();
    }
  }
  return PageUse{Scaled(use.bytes, all, seen), Scaled(use.huge_bytes, all, seen)};
}

}  // namespace cedar::simd
