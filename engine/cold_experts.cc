#include "engine/cold_experts.h"

#include <cstdint>
#include <span>
#include <vector>

#include "weights/mapped_file.h"
#include "weights/matrix_bytes.h"

namespace cedar {
namespace {

// Adds the part if it is absent, going by three of its pages: to look at all takes as long as to
// read them from the cache.
void AddAbsent(std::span<const uint8_t> part, std::vector<std::span<const uint8_t>>& absent) {
  for (const size_t at : {size_t{0}, part.size() / 2, part.size() - 1}) {
    if (MayBeAbsent(part.subspan(at, 1))) return absent.push_back(part);
  }
}

}  // namespace

void ColdExperts::StartReading(const ExpertGroups& groups, Prefetcher& prefetcher) {
  std::vector<std::span<const uint8_t>> absent;
  for (const ExpertGroup& group : groups.groups()) {
    const ExpertWeights& expert = *group.weights;
    if (!seen_.insert(&expert).second) continue;
    for (const WeightMatrix* matrix : {&expert.w1, &expert.w3, &expert.w2}) {
      const size_t scales = ScaleBytes(*matrix);
      AddAbsent({matrix->data, MatrixBytes(*matrix) - scales}, absent);
      if (scales > 0) AddAbsent({matrix->scales, scales}, absent);
    }
  }
  if (!absent.empty()) prefetcher.FetchLarge(absent);
}

}  // namespace cedar
