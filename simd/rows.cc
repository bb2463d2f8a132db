#include "simd/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/rows.cc"
#include <hwy/foreach_target.h>
// After foreach_target.h.
#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

#include <cmath>

#include "simd/bf16-inl.h"
#include "simd/fill.h"

// Norm, rope and pooling in double precision: products of their inputs are exact there and results
// are rounded once, so that they are the reference's but for the last bits of a double. The price,
// about 1 us for 5120 channels over fp32, is small beside the matrix products around them.

HWY_BEFORE_NAMESPACE();
namespace cedar::simd::HWY_NAMESPACE {

void RmsNorm(const Bf16* x, const float* weight, size_t n, double eps, Bf16* out) {
  const hn::ScalableTag<double> d;
  const double rms = std::sqrt(SumOfSquares(x, n) / static_cast<double>(n) + eps);
  const auto scale = hn::Set(d, 1 / rms);
  ForVectors(d, n, [&](size_t i, auto part) HWY_ATTR {
    const auto v = hn::Mul(LoadBf16(d, x + i, part), scale);
    StoreBf16(hn::Mul(v, LoadFloats(d, weight + i, part)), d, out + i, part);
  });
}

// A part of pairs as a part of channels.
HWY_INLINE Whole Twice(Whole part) { return part; }
HWY_INLINE Part Twice(Part part) { return Part{2 * part.count}; }

// Rotates the pairs at x of one vector; `part` counts pairs. A pair is one 32-bit lane, its
// even channel in the lower half, so nothing needs to be shuffled.
template <class PartOfRow>
HWY_INLINE void RotatePairs(Bf16* x, const float* cos, const float* sin, double sign,
                            PartOfRow part) {
  const hn::ScalableTag<double> d;
  const hn::Rebind<float, decltype(d)> d32;
  const hn::RebindToUnsigned<decltype(d32)> du;
  const hn::Repartition<uint16_t, decltype(du)> d16;
  const auto pairs = hn::BitCast(du, LoadPart(d16, &x->bits, Twice(part)));
  const auto upper = hn::Set(du, 0xFFFF0000u);
  const auto a = hn::PromoteTo(d, hn::BitCast(d32, hn::ShiftLeft<16>(pairs)));
  const auto b = hn::PromoteTo(d, hn::BitCast(d32, hn::And(pairs, upper)));
  const auto c = LoadFloats(d, cos, part);
  const auto s = hn::Mul(LoadFloats(d, sin, part), hn::Set(d, sign));
  const auto even = hn::DemoteTo(d32, hn::MulSub(a, c, hn::Mul(b, s)));
  const auto odd = hn::DemoteTo(d32, hn::MulAdd(a, s, hn::Mul(b, c)));
  const auto rotated = hn::Or(hn::ShiftRight<16>(RoundUpperHalf(d32, even)),
                              hn::And(RoundUpperHalf(d32, odd), upper));
  StorePart(hn::BitCast(d16, rotated), d16, &x->bits, Twice(part));
}

void Rope(Bf16* x, size_t count, size_t dim, size_t rope_dim, const float* cos, const float* sin,
          bool inverse) {
  const hn::ScalableTag<double> d;
  const double sign = inverse ? -1 : 1;
  for (size_t row = 0; row < count; ++row) {
    Bf16* rotated = x + row * dim + (dim - rope_dim);
    ForVectors(d, rope_dim / 2, [&](size_t i, auto part) HWY_ATTR {
      RotatePairs(rotated + 2 * i, cos + i, sin + i, sign, part);
    });
  }
}

void Pool(const float* const* kv, const float* const* gate, size_t ratio, size_t n, Bf16* out) {
  const hn::ScalableTag<double> d;
  ForVectors(d, n, [&](size_t i, auto part) HWY_ATTR {
    auto largest = LoadFloats(d, gate[0] + i, part);
    for (size_t t = 1; t < ratio; ++t) {
      largest = hn::Max(largest, LoadFloats(d, gate[t] + i, part));
    }
    auto total = hn::Zero(d), weighted = hn::Zero(d);
    for (size_t t = 0; t < ratio; ++t) {
      const auto e = hn::Exp(d, hn::Sub(LoadFloats(d, gate[t] + i, part), largest));
      total = hn::Add(total, e);
      weighted = hn::MulAdd(LoadFloats(d, kv[t] + i, part), e, weighted);
    }
    StoreBf16(hn::Div(weighted, total), d, out + i, part);
  });
}

}  // namespace cedar::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace cedar::simd {

HWY_EXPORT(RmsNorm);
HWY_EXPORT(Rope);
HWY_EXPORT(Pool);

void FillRows(int64_t target, Kernels* kernels) {
  kernels->rms_norm = CEDAR_KERNEL(RmsNorm, target);
  kernels->rope = CEDAR_KERNEL(Rope, target);
  kernels->pool = CEDAR_KERNEL(Pool, target);
}

}  // namespace cedar::simd

#endif  // HWY_ONCE
