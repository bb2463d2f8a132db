#include "simd/page_size.h"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>

namespace cedar::simd {
namespace {

constexpr size_t kHugePage = size_t{2} << 20;
// The kernel walks through so much within half a second.
constexpr size_t kMostWalked = size_t{8} << 30;

// Of this process.
size_t BytesInMemory() {
  size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages >> pages;
  return pages * static_cast<size_t>(sysconf(_SC_PAGESIZE));
}

struct Mapping {
  uintptr_t begin = 0, end = 0;

  bool Holds(std::span<const uint8_t> part) const {
    const uintptr_t first = reinterpret_cast<uintptr_t>(part.data());
    return first < end && first + part.size() > begin;
  }
};

// "7f12a000-7f12c000 r--s ..." starts a mapping; other lines do not have this form.
bool ParseMapping(const std::string& line, Mapping& mapping) {
  std::istringstream text(line);
  char dash = 0;
  return text >> std::hex >> mapping.begin && text >> std::noskipws >> dash && dash == '-' &&
         text >> mapping.end;
}

// "Rss:   123 kB"
void AddLine(const std::string& line, PageUse& use) {
  std::istringstream text(line);
  std::string key;
  size_t kib = 0;
  if (!(text >> key >> kib)) return;
  if (key == "Rss:") use.bytes += kib << 10;
  // Explicit huge pages are not part of Rss.
  if (key == "Private_Hugetlb:" || key == "Shared_Hugetlb:") {
    use.bytes += kib << 10;
    use.huge_bytes += kib << 10;
  }
  if (key == "AnonHugePages:" || key == "FilePmdMapped:" || key == "ShmemPmdMapped:") {
    use.huge_bytes += kib << 10;
  }
}

}  // namespace

size_t PageUse::page_size() const {
  return bytes > 0 && huge_bytes >= bytes - bytes / 2 ? kHugePage
                                                      : static_cast<size_t>(sysconf(_SC_PAGESIZE));
}

PageUse PagesOf(std::span<const std::span<const uint8_t>> parts, std::istream& smaps) {
  PageUse use;
  bool ours = false;
  std::string line;
  while (std::getline(smaps, line)) {
    Mapping mapping;
    if (ParseMapping(line, mapping)) {
      ours = std::any_of(parts.begin(), parts.end(),
                         [&](std::span<const uint8_t> part) { return mapping.Holds(part); });
    } else if (ours) {
      AddLine(line, use);
    }
  }
  return use;
}

std::optional<PageUse> PagesOf(std::span<const std::span<const uint8_t>> parts) {
  if (const auto use = PagesByPlaces(parts)) return use;
  if (BytesInMemory() > kMostWalked) return std::nullopt;
  std::ifstream smaps("/proc/self/smaps");
  return PagesOf(parts, smaps);
}

}  // namespace cedar::simd
