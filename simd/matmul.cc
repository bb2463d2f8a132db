#include "simd/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/matmul.cc"
#include <hwy/foreach_target.h>
// After foreach_target.h.
#include <hwy/highway.h>

#include <algorithm>
#include <type_traits>

#include "simd/decode-inl.h"
#include "simd/fill.h"
#include "simd/matmul_pack-inl.h"
#include "simd/matmul_rows-inl.h"
#include "simd/matmul_tiles-inl.h"

HWY_BEFORE_NAMESPACE();
namespace cedar::simd::HWY_NAMESPACE {

template <class W>
using RowLayout = RegisterLayout<RowDecoder<W>>;

size_t RowsPackedBytes(Format weights, size_t cols) {
  return WithDecoder(weights,
                     [&](auto w) HWY_ATTR { return PackedBytes<RowLayout<decltype(w)>>(cols); });
}

void RowsPack(Format weights, Activation activation, const Bf16* x, size_t cols, Range part,
              uint8_t* packed) {
  WithDecoder(weights, [&](auto w) HWY_ATTR {
    PackRow<RowLayout<decltype(w)>>(activation, x, cols, part, packed);
  });
}

// Activation rows from which a decoded copy of the weights pays: measured (matmul_bench), it never
// does but for FP8 and FP4 with the few registers of AVX2 (0.63 instead of 0.58, 0.60 instead of
// 0.56).
template <class W>
inline constexpr bool kTilesPay = (HWY_TARGET == HWY_AVX2) && W::kScaled;
constexpr size_t kTileTokens = 24;

// W is the decoder of generated rows.
template <class W>
void MultiplyGenerated(const WeightMatrix& w, Range range, std::span<const uint8_t* const> x,
                       const MatMulOutput& y, uint8_t* scratch) {
  if constexpr (kTilesPay<W>) {
    if (x.size() >= kTileTokens) {
      return MultiplyTiles<W, Order::kGenerated>(w, range, x, y, scratch);
    }
  }
  MultiplyRows<W>(w, range, x, y, scratch);
}

void RowsMultiply(const WeightMatrix& w, Range range, std::span<const uint8_t* const> x,
                  const MatMulOutput& y, uint8_t* scratch) {
  WithDecoder(w.format, [&](auto d) HWY_ATTR {
    MultiplyGenerated<RowDecoder<decltype(d)>>(w, range, x, y, scratch);
  });
}

size_t RowsScratchBytes(Format, size_t) {
  return std::max(kRowsScratchBytes, HWY_TARGET == HWY_AVX2 ? kTileScratchBytes : 0);
}

}  // namespace cedar::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace cedar::simd {

HWY_EXPORT(RowsPackedBytes);
HWY_EXPORT(RowsPack);
HWY_EXPORT(RowsMultiply);
HWY_EXPORT(RowsScratchBytes);

void FillMatMul(int64_t target, Kernels* kernels) {
  kernels->generated = {.name = "Highway, weights decoded in registers",
                        .packed_bytes = CEDAR_KERNEL(RowsPackedBytes, target),
                        .pack = CEDAR_KERNEL(RowsPack, target),
                        .multiply = CEDAR_KERNEL(RowsMultiply, target),
                        .scratch_bytes = CEDAR_KERNEL(RowsScratchBytes, target)};
}

}  // namespace cedar::simd

#endif  // HWY_ONCE
