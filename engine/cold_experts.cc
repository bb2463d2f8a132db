#include "engine/cold_experts.h"

#include <cstdint>
#include <span>
#include <vector>

#include "weights/matrix_bytes.h"

namespace cedar {

void ColdExperts::StartReading(const ExpertGroups& groups, Prefetcher& prefetcher) {
  std::vector<std::span<const uint8_t>> parts;
  for (const ExpertGroup& group : groups.groups()) {
    const ExpertWeights& expert = *group.weights;
    if (!asked_.insert(&expert).second) continue;
    for (const WeightMatrix* matrix : {&expert.w1, &expert.w3, &expert.w2}) {
      const size_t scales = ScaleBytes(*matrix);
      parts.push_back({matrix->data, MatrixBytes(*matrix) - scales});
      if (scales > 0) parts.push_back({matrix->scales, scales});
    }
  }
  if (!parts.empty()) prefetcher.Fetch(parts);
}

}  // namespace cedar
