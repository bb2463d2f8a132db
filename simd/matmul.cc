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

// Calls body with the decoder of a format.
template <class Body>
HWY_INLINE auto WithDecoder(Format format, const Body& body) {
  switch (format) {
    case Format::kF32:
      return body(F32Weights());
    case Format::kBf16:
      return body(Bf16Weights());
    case Format::kFp8:
      return body(Fp8Weights());
    case Format::kFp4:
      break;
  }
  return body(Fp4Weights());
}

size_t MatMulPackedBytes(Format weights, size_t cols) {
  return WithDecoder(weights, [&](auto w) HWY_ATTR { return PackedBytes<decltype(w)>(cols); });
}

void MatMulPack(Format weights, Activation activation, const Bf16* x, size_t cols,
                uint8_t* packed) {
  WithDecoder(weights, [&](auto w) HWY_ATTR { PackRow<decltype(w)>(activation, x, cols, packed); });
}

void MatMulMultiply(const WeightMatrix& w, Range range, std::span<const uint8_t* const> x,
                    const MatMulOutput& y, uint8_t*) {
  WithDecoder(w.format, [&](auto d) HWY_ATTR { MultiplyRows<decltype(d)>(w, range, x, y); });
}

// Activations of these two formats are packed as they are, so they need not be packed here.
void MixDots(const WeightMatrix& fn, Range range, const Bf16* streams, double* dots) {
  const auto* x = reinterpret_cast<const uint8_t*>(streams);
  for (size_t j = range.begin; j < range.end; ++j) {
    float dot[1][1];
    if (fn.format == Format::kF32) {
      Block<F32Weights, 1, 1>(fn, j, &x, dot);
    } else {
      Block<Bf16Weights, 1, 1>(fn, j, &x, dot);
    }
    dots[j] = dot[0][0];
  }
}

}  // namespace cedar::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace cedar::simd {

HWY_EXPORT(MatMulPackedBytes);
HWY_EXPORT(MatMulPack);
HWY_EXPORT(MatMulMultiply);
HWY_EXPORT(MixDots);

namespace {

size_t NoScratch(Format, size_t) { return 0; }

}  // namespace

void FillMatMul(int64_t target, Kernels* kernels) {
  kernels->generated = {.name = "Highway, weights decoded in registers",
                        .packed_bytes = CEDAR_KERNEL(MatMulPackedBytes, target),
                        .pack = CEDAR_KERNEL(MatMulPack, target),
                        .multiply = CEDAR_KERNEL(MatMulMultiply, target),
                        .scratch_bytes = NoScratch};
  kernels->prompt = kernels->generated;
  kernels->mix_dots = CEDAR_KERNEL(MixDots, target);
}

}  // namespace cedar::simd

#endif  // HWY_ONCE
