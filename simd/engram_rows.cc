#include "simd/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/engram_rows.cc"
#include <hwy/foreach_target.h>
// After foreach_target.h.
#include <hwy/highway.h>

#include <algorithm>
#include <cmath>

#include "simd/fill.h"
#include "simd/quantise-inl.h"

HWY_BEFORE_NAMESPACE();
namespace cedar::simd::HWY_NAMESPACE {

void DecodeEngramRow(const uint8_t* codes, const uint8_t* scales, size_t n, Bf16* out) {
  const BlockTag<kScaleBlock> d;
  const hn::RebindToUnsigned<decltype(d)> du;
  const hn::Rebind<uint8_t, decltype(d)> d8;
  for (size_t i = 0; i < n; i += hn::Lanes(d)) {
    const auto scale = hn::Set(d, DecodeUe8m0(scales[i / kScaleBlock]));
    const auto v = DecodeE4m3(d, hn::PromoteTo(du, hn::LoadU(d8, codes + i)));
    StoreBf16(hn::Mul(v, scale), d, out + i, Whole());
  }
}

// sum of x[i] * weight[i] * key[i] in double.
double WeightedDot(const Bf16* x, const double* weight, const Bf16* key, size_t n) {
  const hn::ScalableTag<double> d;
  auto sum = hn::Zero(d);
  ForVectors(d, n, [&](size_t i, auto part) HWY_ATTR {
    const auto weighted = hn::Mul(LoadBf16(d, x + i, part), LoadPart(d, weight + i, part));
    sum = hn::MulAdd(weighted, LoadBf16(d, key + i, part), sum);
  });
  return hn::ReduceSum(d, sum);
}

// How much of the value stream `x` takes, given its key; all [n].
double Gate(const Bf16* x, const Bf16* key, const double* qk_weight, size_t n, double eps) {
  const double size = static_cast<double>(n);
  const double squares = (SumOfSquares(x, n) / size + eps) * (SumOfSquares(key, n) / size + eps);
  const double dot = WeightedDot(x, qk_weight, key, n) / std::sqrt(squares) / std::sqrt(size);
  const double root = std::copysign(std::sqrt(std::max(std::fabs(dot), 1e-6)), dot);
  return 1 / (1 + std::exp(-root));
}

void EngramGate(const Bf16* kv, const double* qk_weight, size_t hc, size_t hidden, double eps,
                Bf16* streams) {
  const hn::ScalableTag<double> d;
  const Bf16* value = kv + hc * hidden;
  for (size_t j = 0; j < hc; ++j) {
    Bf16* x = streams + j * hidden;
    const auto gate = hn::Set(d, Gate(x, kv + j * hidden, qk_weight + j * hidden, hidden, eps));
    ForVectors(d, hidden, [&](size_t c, auto part) HWY_ATTR {
      const auto sum = hn::MulAdd(gate, LoadBf16(d, value + c, part), LoadBf16(d, x + c, part));
      StoreBf16(sum, d, x + c, part);
    });
  }
}

}  // namespace cedar::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace cedar::simd {

HWY_EXPORT(DecodeEngramRow);
HWY_EXPORT(EngramGate);

void FillEngramRows(int64_t target, Kernels* kernels) {
  kernels->decode_engram_row = CEDAR_KERNEL(DecodeEngramRow, target);
  kernels->engram_gate = CEDAR_KERNEL(EngramGate, target);
}

}  // namespace cedar::simd

#endif  // HWY_ONCE
