#include "simd/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/matmul.cc"
#include <hwy/foreach_target.h>
// After foreach_target.h.
#include <hwy/highway.h>

#include "simd/decode-inl.h"
#include "simd/fill.h"
#include "simd/matmul_pack-inl.h"
#include "simd/matmul_rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace cedar::simd::HWY_NAMESPACE {

size_t RowsPackedBytes(Format weights, size_t cols) {
  return WithDecoder(
      weights, [&](auto w) HWY_ATTR { return PackedBytes<RegisterLayout<decltype(w)>>(cols); });
}

void RowsPack(Format weights, Activation activation, const Bf16* x, size_t cols, uint8_t* packed) {
  WithDecoder(weights, [&](auto w) HWY_ATTR {
    PackRow<RegisterLayout<decltype(w)>>(activation, x, cols, packed);
  });
}

void RowsMultiply(const WeightMatrix& w, Range range, std::span<const uint8_t* const> x,
                  const MatMulOutput& y, uint8_t*) {
  WithDecoder(w.format, [&](auto d) HWY_ATTR { MultiplyRows<decltype(d)>(w, range, x, y); });
}

}  // namespace cedar::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace cedar::simd {

HWY_EXPORT(RowsPackedBytes);
HWY_EXPORT(RowsPack);
HWY_EXPORT(RowsMultiply);

namespace {

size_t NoScratch(Format, size_t) { return 0; }

}  // namespace

void FillMatMul(int64_t target, Kernels* kernels) {
  kernels->generated = {.name = "Highway, weights decoded in registers",
                        .packed_bytes = CEDAR_KERNEL(RowsPackedBytes, target),
                        .pack = CEDAR_KERNEL(RowsPack, target),
                        .multiply = CEDAR_KERNEL(RowsMultiply, target),
                        .scratch_bytes = NoScratch};
}

}  // namespace cedar::simd

#endif  // HWY_ONCE
