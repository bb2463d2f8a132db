#include "engine/best_scores.h"

#include <algorithm>

namespace cedar {

BestScores::BestScores(size_t capacity, size_t part, Arena& arena)
    : capacity_(capacity),
      scores_(arena.Take<float>(capacity + std::max(part, capacity))),
      indices_(arena.Take<int32_t>(capacity)),
      selected_(arena.Take<int32_t>(capacity)) {}

// Keeps the best of the kept ones and n more; index_of(i) is the index of the i-th of those.
template <typename IndexOf>
void BestScores::Keep(const simd::Kernels& kernels, size_t n, const IndexOf& index_of) {
  const size_t before = count_;
  count_ = kernels.top_k(scores_, before + n, capacity_, selected_);
  for (size_t i = 0; i < count_; ++i) {  // selected_[i] >= i, so nothing is lost on the way
    const size_t at = static_cast<size_t>(selected_[i]);
    scores_[i] = scores_[at];
    indices_[i] = at < before ? indices_[at] : index_of(at - before);
  }
}

void BestScores::Add(const simd::Kernels& kernels, size_t first, size_t n) {
  Keep(kernels, n, [&](size_t i) { return static_cast<int32_t>(first + i); });
}

void BestScores::Add(const simd::Kernels& kernels, const BestScores& later) {
  std::copy_n(later.scores_, later.count_, Next());
  Keep(kernels, later.count_, [&](size_t i) { return later.indices_[i]; });
}

}  // namespace cedar
