// Dot products of bytes, exact integers: weights that are small whole numbers times activations of
// -127..127, by the instructions that a target has for it. Included once for each Highway target,
// by kernel files only.

#if defined(CEDAR_SIMD_BYTE_DOTS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef CEDAR_SIMD_BYTE_DOTS_INL_H_
#undef CEDAR_SIMD_BYTE_DOTS_INL_H_
#else
#define CEDAR_SIMD_BYTE_DOTS_INL_H_
#endif

#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "simd/vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace cedar::simd::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Lanes of sums and of activations.
using DI32 = hn::RebindToSigned<DF>;
using DI8 = hn::Repartition<int8_t, DF>;

// x86 multiplies unsigned bytes by signed ones, so weights of -12..12 come with this much added.
inline constexpr int kWeightOffset = HWY_ARCH_X86 ? 12 : 0;
using DWeight = std::conditional_t<HWY_ARCH_X86, D8, DI8>;

inline constexpr size_t kDotVectors = 8;  // of weights, and as many of activations, for one sum

// Lanes that sums start in: AVX2 multiplies bytes to 16 bits only.
using DStart = hn::Repartition<std::conditional_t<HWY_TARGET == HWY_AVX2, int16_t, int32_t>, DF>;

#if !HWY_HAVE_SCALABLE && !HWY_TARGET_IS_SVE  // whose vectors cannot lie in arrays

// The sums of the products of kDotVectors vectors of weights and of activations in lanes of 32
// bits, which take those of their own four bytes: weight(r, v) of row r, x(m, v) of token m. What
// they start with, start(m), takes back the weights' offset.
#if HWY_TARGET == HWY_AVX2
// A lane of 16 bits has room for all eight pairs of products: at most 8 * 2 * 12 * 127 without the
// offset, so that it does not matter if sums overflow before. They stay in this order: g++ would
// make trees of them and run out of registers.
template <size_t kRows, size_t kTokens, class Weight, class X, class Start>
HWY_INLINE void Dots(const Weight& weight, const X& x, const Start& start,
                     hn::Vec<DI32> (&sum)[kRows][kTokens]) {
  const DStart d16;
  hn::Vec<DStart> pairs[kRows][kTokens];
  HWY_UNROLL(8)
  for (size_t v = 0; v < kDotVectors; ++v) {
    hn::Vec<DWeight> weights[kRows];
    HWY_UNROLL(8)
    for (size_t r = 0; r < kRows; ++r) weights[r] = weight(r, v);
    HWY_UNROLL(8)
    for (size_t m = 0; m < kTokens; ++m) {
      const auto activation = x(m, v);
      HWY_UNROLL(8)
      for (size_t r = 0; r < kRows; ++r) {
        const auto pair = hn::SatWidenMulPairwiseAdd(d16, weights[r], activation);
        pairs[r][m] = Kept(hn::Add(v == 0 ? start(m) : pairs[r][m], pair));
      }
    }
  }
  HWY_UNROLL(8)
  for (size_t r = 0; r < kRows; ++r) {
    HWY_UNROLL(8)
    for (size_t m = 0; m < kTokens; ++m) {
      sum[r][m] = hn::WidenMulPairwiseAdd(DI32(), pairs[r][m], hn::Set(d16, 1));
    }
  }
}
#else
template <size_t kRows, size_t kTokens, class Weight, class X, class Start>
HWY_INLINE void Dots(const Weight& weight, const X& x, const Start& start,
                     hn::Vec<DI32> (&sum)[kRows][kTokens]) {
  HWY_UNROLL(8)
  for (size_t m = 0; m < kTokens; ++m) {
    HWY_UNROLL(8)
    for (size_t r = 0; r < kRows; ++r) sum[r][m] = start(m);
  }
  HWY_UNROLL(8)
  for (size_t v = 0; v < kDotVectors; ++v) {
    hn::Vec<DWeight> weights[kRows];
    HWY_UNROLL(8)
    for (size_t r = 0; r < kRows; ++r) weights[r] = Kept(weight(r, v));
    HWY_UNROLL(8)
    for (size_t m = 0; m < kTokens; ++m) {
      const auto activation = x(m, v);
      HWY_UNROLL(8)
      for (size_t r = 0; r < kRows; ++r) {
        sum[r][m] = hn::SumOfMulQuadAccumulate(DI32(), weights[r], activation, sum[r][m]);
      }
    }
  }
}
#endif

#endif  // !HWY_HAVE_SCALABLE && !HWY_TARGET_IS_SVE

}  // namespace cedar::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // include guard
