#ifndef CEDAR_SIMD_WORKERS_H_
#define CEDAR_SIMD_WORKERS_H_

// The only place where threads exist: an OpenMP team of a fixed size, used for ranges of
// independent work. What a body computes for an index must not depend on which thread runs it or
// where the range is cut; then results do not depend on the number of threads.

#include <cstddef>
#include <functional>

#include "simd/matrix.h"

namespace cedar::simd {

class Workers {
 public:
  // threads >= 1. Use DefaultThreads() for all physical cores this process may run on.
  explicit Workers(int threads);

  int threads() const { return threads_; }

  // Calls body(range, worker) on disjoint ranges that cover [0, n), each a multiple of `grain` long
  // except the last; worker is in [0, threads()), for per-thread scratch. n <= grain runs in the
  // calling thread. Ranges are handed out in ascending order, so that a body with uneven work
  // balances; bodies must not throw and must not call Workers again.
  void ForRanges(size_t n, size_t grain,
                 const std::function<void(Range range, int worker)>& body) const;

 private:
  int threads_;
};

int DefaultThreads();

}  // namespace cedar::simd

#endif  // CEDAR_SIMD_WORKERS_H_
