#ifndef CEDAR_SIMD_PAGE_SIZE_H_
#define CEDAR_SIMD_PAGE_SIZE_H_

// On what pages memory lies: reading 2 MB pages is faster than reading 4 KB ones. To look at every
// page of hundreds of gigabytes takes the kernel many seconds, so large memory is sampled.

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <span>

namespace cedar::simd {

// Of the pages that are in memory now.
struct PageUse {
  size_t bytes = 0;       // in all
  size_t huge_bytes = 0;  // of them, on pages of 2 MB or more

  // Bytes of the page that most of the memory lies on; without any memory the system's own.
  size_t page_size() const;
};

// Of the pages of these parts. Above 4 GB, an estimate by 2048 places of 2 MB, evenly spread: a
// tenth of a second, however many there are. Kernels before Linux 6.7 tell only of whole mappings,
// page by page: then of all mappings that hold some of the parts, and nothing if this process has
// more than 8 GB in memory.
std::optional<PageUse> PagesOf(std::span<const std::span<const uint8_t>> parts);

// By these places alone; nothing before Linux 6.7.
std::optional<PageUse> PagesByPlaces(std::span<const std::span<const uint8_t>> parts);

// From the text of /proc/PID/smaps: of all mappings that hold some of the parts.
PageUse PagesOf(std::span<const std::span<const uint8_t>> parts, std::istream& smaps);

}  // namespace cedar::simd

#endif  // CEDAR_SIMD_PAGE_SIZE_H_
