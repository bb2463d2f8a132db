// 32-bit words of several rows, turned so that the same word of all rows lies side by side.
// Included once for each Highway target, by kernel files only.

#if defined(CEDAR_SIMD_TRANSPOSE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef CEDAR_SIMD_TRANSPOSE_INL_H_
#undef CEDAR_SIMD_TRANSPOSE_INL_H_
#else
#define CEDAR_SIMD_TRANSPOSE_INL_H_
#endif

#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace cedar::simd::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// out[w * stride + r] = word w of row r, for w in 0..3 and r in 0..3; out 16-byte aligned and
// stride a multiple of 4.
template <class V>
HWY_INLINE void StoreTransposed4x4(V row0, V row1, V row2, V row3, uint32_t* out, size_t stride) {
  const hn::FixedTag<uint32_t, 4> d;
  const hn::FixedTag<uint64_t, 2> d64;
  const auto low01 = hn::BitCast(d64, hn::InterleaveLower(d, row0, row1));
  const auto low23 = hn::BitCast(d64, hn::InterleaveLower(d, row2, row3));
  const auto high01 = hn::BitCast(d64, hn::InterleaveUpper(d, row0, row1));
  const auto high23 = hn::BitCast(d64, hn::InterleaveUpper(d, row2, row3));
  hn::Store(hn::BitCast(d, hn::InterleaveLower(d64, low01, low23)), d, out);
  hn::Store(hn::BitCast(d, hn::InterleaveUpper(d64, low01, low23)), d, out + stride);
  hn::Store(hn::BitCast(d, hn::InterleaveLower(d64, high01, high23)), d, out + 2 * stride);
  hn::Store(hn::BitCast(d, hn::InterleaveUpper(d64, high01, high23)), d, out + 3 * stride);
}

}  // namespace cedar::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // include guard
