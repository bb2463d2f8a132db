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
#include "simd/matmul_tiles-inl.h"

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

#if HWY_HAVE_SCALABLE || HWY_TARGET_IS_SVE

size_t TilesPackedBytes(Format weights, size_t cols) { return RowsPackedBytes(weights, cols); }
void TilesPack(Format weights, Activation activation, const Bf16* x, size_t cols, uint8_t* packed) {
  RowsPack(weights, activation, x, cols, packed);
}
void TilesMultiply(const WeightMatrix& w, Range range, std::span<const uint8_t* const> x,
                   const MatMulOutput& y, uint8_t* scratch) {
  RowsMultiply(w, range, x, y, scratch);
}
size_t TilesScratchBytes(Format, size_t) { return 0; }

#else

size_t TilesPackedBytes(Format weights, size_t cols) {
  return WithDecoder(weights,
                     [&](auto w) HWY_ATTR { return PackedBytes<TileLayout<decltype(w)>>(cols); });
}

void TilesPack(Format weights, Activation activation, const Bf16* x, size_t cols, uint8_t* packed) {
  WithDecoder(weights, [&](auto w) HWY_ATTR {
    PackRow<TileLayout<decltype(w)>>(activation, x, cols, packed);
  });
}

void TilesMultiply(const WeightMatrix& w, Range range, std::span<const uint8_t* const> x,
                   const MatMulOutput& y, uint8_t* scratch) {
  WithDecoder(w.format,
              [&](auto d) HWY_ATTR { MultiplyTiles<decltype(d)>(w, range, x, y, scratch); });
}

size_t TilesScratchBytes(Format, size_t) { return kTileScratchBytes; }

#endif

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

HWY_EXPORT(RowsPackedBytes);
HWY_EXPORT(RowsPack);
HWY_EXPORT(RowsMultiply);
HWY_EXPORT(TilesPackedBytes);
HWY_EXPORT(TilesPack);
HWY_EXPORT(TilesMultiply);
HWY_EXPORT(TilesScratchBytes);
HWY_EXPORT(MixDots);

namespace {

size_t NoScratch(Format, size_t) { return 0; }

}  // namespace

void FillMatMul(int64_t target, Kernels* kernels) {
  kernels->generated = {.name = "Highway, weights decoded in registers",
                        .packed_bytes = CEDAR_KERNEL(RowsPackedBytes, target),
                        .pack = CEDAR_KERNEL(RowsPack, target),
                        .multiply = CEDAR_KERNEL(RowsMultiply, target),
                        .scratch_bytes = NoScratch};
  kernels->prompt = {.name = "Highway, weights decoded in tiles",
                     .packed_bytes = CEDAR_KERNEL(TilesPackedBytes, target),
                     .pack = CEDAR_KERNEL(TilesPack, target),
                     .multiply = CEDAR_KERNEL(TilesMultiply, target),
                     .scratch_bytes = CEDAR_KERNEL(TilesScratchBytes, target)};
  kernels->mix_dots = CEDAR_KERNEL(MixDots, target);
}

}  // namespace cedar::simd

#endif  // HWY_ONCE
