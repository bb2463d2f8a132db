#include "simd/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/block_max.cc"
#include <hwy/foreach_target.h>
// After foreach_target.h.
#include <hwy/highway.h>

#include <algorithm>
#include <limits>

#include "simd/fill.h"

HWY_BEFORE_NAMESPACE();
namespace cedar::simd::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// The largest of x[0..n), n >= 1. A maximum does not depend on the order.
float Largest(const float* x, size_t n) {
  const hn::ScalableTag<float> d;
  const float lowest = -std::numeric_limits<float>::infinity();
  auto largest = hn::Set(d, lowest);
  size_t i = 0;
  for (; i + hn::Lanes(d) <= n; i += hn::Lanes(d)) {
    largest = hn::Max(largest, hn::LoadU(d, x + i));
  }
  if (i < n) largest = hn::Max(largest, hn::LoadNOr(hn::Set(d, lowest), d, x + i, n - i));
  return hn::ReduceMax(d, largest);
}

void BlockMax(const float* scores, size_t n, size_t block, float* maxima) {
  for (size_t begin = 0; begin < n; begin += block) {
    *maxima++ = Largest(scores + begin, std::min(block, n - begin));
  }
}

}  // namespace cedar::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace cedar::simd {

HWY_EXPORT(BlockMax);

void FillBlockMax(int64_t target, Kernels* kernels) {
  kernels->block_max = CEDAR_KERNEL(BlockMax, target);
}

}  // namespace cedar::simd

#endif  // HWY_ONCE
