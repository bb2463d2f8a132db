#ifndef CEDAR_SIMD_PAGE_SIZE_H_
#define CEDAR_SIMD_PAGE_SIZE_H_

// On what pages memory lies: reading 2 MB pages is faster than reading 4 KB ones.

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <span>

namespace cedar::simd {

// Of the pages that are in memory now.
struct PageUse {
  size_t bytes = 0;       // in all
  size_t huge_bytes = 0;  // of them, on pages of 2 MB or more

  // Bytes of the page that most of the memory lies on; without any memory the system's own.
  size_t page_size() const;
};

// Of all mappings of this process that hold some of the parts, as the kernel reports them.
PageUse PagesOf(std::span<const std::span<const uint8_t>> parts);

// The same from the text of /proc/PID/smaps; for tests.
PageUse PagesOf(std::span<const std::span<const uint8_t>> parts, std::istream& smaps);

}  // namespace cedar::simd

#endif  // CEDAR_SIMD_PAGE_SIZE_H_
