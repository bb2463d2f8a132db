#include "simd/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/matmul_int8.cc"
#include <hwy/foreach_target.h>
// After foreach_target.h.
#include <hwy/highway.h>

#include "simd/error.h"
#include "simd/fill.h"
#include "simd/matmul_int8-inl.h"
#include "simd/matmul_int8_pack-inl.h"

HWY_BEFORE_NAMESPACE();
namespace cedar::simd::HWY_NAMESPACE {

size_t IntegerPackedBytes(Format, size_t cols) {
  return (StepsOf(cols) * kPackedStepBytes + 63) / 64 * 64;
}

void IntegerPack(Format weights, Activation activation, const Bf16* x, size_t cols, Range part,
                 uint8_t* packed) {
  CEDAR_CHECK(weights == Format::kFp4 && activation == Activation::kInt8);
  PackInt8Row(x, cols, part, packed);
}

void IntegerMultiply(const WeightMatrix& w, Range range, std::span<const uint8_t* const> x,
                     const MatMulOutput& y, uint8_t* scratch) {
  CEDAR_CHECK(w.format == Format::kFp4);
  MultiplyInt8(w, range, x, y, scratch);
}

size_t IntegerScratchBytes(Format, size_t cols) { return Int8ScratchBytes(cols); }

}  // namespace cedar::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace cedar::simd {

HWY_EXPORT(IntegerPackedBytes);
HWY_EXPORT(IntegerPack);
HWY_EXPORT(IntegerMultiply);
HWY_EXPORT(IntegerScratchBytes);

void FillMatMulInt8(int64_t target, Kernels* kernels) {
  kernels->integer = {.name = "Highway, dot products of bytes",
                      .packed_bytes = CEDAR_KERNEL(IntegerPackedBytes, target),
                      .pack = CEDAR_KERNEL(IntegerPack, target),
                      .multiply = CEDAR_KERNEL(IntegerMultiply, target),
                      .scratch_bytes = CEDAR_KERNEL(IntegerScratchBytes, target)};
}

}  // namespace cedar::simd

#endif  // HWY_ONCE
