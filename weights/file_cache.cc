#include "weights/file_cache.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "simd/page_size.h"
#include "weights/mapped_file.h"

namespace cedar {
namespace {

using Bytes = std::span<const uint8_t>;

constexpr size_t kPlace = size_t{2} << 20;
constexpr size_t kMostPlaces = 4096;

class Survey {
 public:
  // Looks at each n-th place of a file.
  void Look(Bytes file, size_t n) {
    bytes_ += file.size();
    const size_t before = reinterpret_cast<uintptr_t>(file.data()) % kPlace;
    for (size_t at = 0; at < file.size(); at += n * kPlace) {
      // Places begin where a huge page may.
      const size_t begin = at == 0 ? 0 : at - before;
      const size_t end = std::min(at - before + kPlace, file.size());
      LookAtPlace(file.subspan(begin, end - begin));
    }
  }

  FileCacheUse Result() const {
    FileCacheUse use;
    use.bytes = bytes_;
    use.present_share = Share(present_, seen_);
    const auto pages = simd::PagesOf(whole_);
    use.places = pages ? whole_.size() : 0;
    if (pages) use.huge_share = std::min(1.0, Share(pages->huge_bytes, whole_.size() * kPlace));
    return use;
  }

 private:
  static double Share(size_t part, size_t all) {
    return all == 0 ? 0 : static_cast<double>(part) / static_cast<double>(all);
  }

  void LookAtPlace(Bytes place) {
    const size_t present = BytesPresent(place);
    seen_ += PagesAround(place).size();
    present_ += present;
    if (present < kPlace) return;
    whole_.push_back(place);
    // A read makes the page around it a part of the mapping, whose pages the kernel reports.
    static_cast<void>(*static_cast<const volatile uint8_t*>(place.data()));
  }

  size_t bytes_ = 0, seen_ = 0, present_ = 0;
  std::vector<Bytes> whole_;
};

}  // namespace

std::optional<FileCacheUse> LookAtFileCache(const Checkpoint& checkpoint) {
  size_t places = 0;
  for (const MappedFile* file : checkpoint.files()) {
    if (file->residency() != Residency::kTold) return std::nullopt;
    places += file->bytes().size() / kPlace + 1;
  }
  Survey survey;
  for (const MappedFile* file : checkpoint.files()) {
    survey.Look(file->bytes(), (places + kMostPlaces - 1) / kMostPlaces);
  }
  return survey.Result();
}

}  // namespace cedar
