#ifndef CEDAR_ENGINE_BEST_SCORES_H_
#define CEDAR_ENGINE_BEST_SCORES_H_

// The best of any number of scores, in memory that does not grow with their number: they come a
// part at a time, and after each part only the best so far are kept.

#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/arena.h"
#include "simd/kernels.h"

namespace cedar {

class BestScores {
 public:
  BestScores() = default;
  // Keeps `capacity` scores; takes at most max(part, capacity) at a time.
  BestScores(size_t capacity, size_t part, Arena& arena);

  void Clear() { count_ = 0; }

  // Where the scores of the next part are to be written.
  float* Next() { return scores_ + count_; }
  // Takes n scores from Next() on, those of the indices first, first + 1, ..., all of them larger
  // than what came before. Ties go to the lower index, -infinity is never kept.
  void Add(const simd::Kernels& kernels, size_t first, size_t n);
  // The same for what another one of this capacity has kept.
  void Add(const simd::Kernels& kernels, const BestScores& later);

  // Of what is kept, ascending.
  std::span<const int32_t> indices() const { return {indices_, count_}; }

 private:
  template <typename IndexOf>
  void Keep(const simd::Kernels& kernels, size_t n, const IndexOf& index_of);

  size_t capacity_ = 0;
  float* scores_ = nullptr;      // those that are kept, then a part
  int32_t* indices_ = nullptr;   // [capacity]
  int32_t* selected_ = nullptr;  // [capacity]: what top_k says
  size_t count_ = 0;
};

}  // namespace cedar

#endif  // CEDAR_ENGINE_BEST_SCORES_H_
