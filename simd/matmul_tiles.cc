#include "simd/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/matmul_tiles.cc"
#include <hwy/foreach_target.h>
// After foreach_target.h.
#include <hwy/highway.h>

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "simd/decode-inl.h"
#include "simd/fill.h"
#include "simd/matmul_pack-inl.h"
#include "simd/matmul_parts.h"
#include "simd/matmul_rows-inl.h"
#include "simd/matmul_tiles-inl.h"

HWY_BEFORE_NAMESPACE();
namespace cedar::simd::HWY_NAMESPACE {

size_t TilesPackedBytes(Format weights, size_t cols) {
  return WithDecoder(weights,
                     [&](auto w) HWY_ATTR { return PackedBytes<PromptLayout<decltype(w)>>(cols); });
}

void TilesPack(Format weights, Activation activation, const Bf16* x, size_t cols, Range part,
               uint8_t* packed) {
  WithDecoder(weights, [&](auto w) HWY_ATTR {
    PackRow<PromptLayout<decltype(w)>>(activation, x, cols, part, packed);
  });
}

// Up to so many rows the same sums are made without a tile: to fill it takes longer than its use.
// Measured on Zen 4 (matmul_bench, share of the bf16 peak): 1 row of FP4 0.32 instead of 0.11, 8
// rows 0.68 instead of 0.51, 16 rows 0.68 instead of 0.65, but 24 rows 0.69 instead of 0.80.
constexpr size_t kFewPromptRows = HWY_TARGET == HWY_AVX2 ? 8 : 16;
template <class W>
using FewRowsDecoder = std::conditional_t<W::kScaled, ScaledWeights<W>, W>;

// Whether packed rows and the order of the sums are the same for both.
template <class W>
inline constexpr bool kFewRowsPay =
    !HWY_HAVE_SCALABLE && !HWY_TARGET_IS_SVE &&
    std::is_same_v<typename PromptLayout<W>::Element, typename W::Activations> &&
    (W::kScaled || std::is_same_v<WeightVector<W>, VB>);

void TilesMultiply(const WeightMatrix& w, Range range, std::span<const uint8_t* const> x,
                   const MatMulOutput& y, uint8_t* scratch) {
  WithDecoder(w.format, [&](auto d) HWY_ATTR {
    using W = decltype(d);
    if constexpr (kFewRowsPay<W>) {
      if (x.size() <= kFewPromptRows) {
        return MultiplyRows<FewRowsDecoder<W>>(w, range, x, y, scratch);
      }
    }
    MultiplyTiles<W, Order::kPrompt>(w, range, x, y, scratch);
  });
}

size_t TilesScratchBytes(Format, size_t) { return std::max(kTileScratchBytes, kRowsScratchBytes); }

#if HWY_ARCH_X86

// The parts of matmul_parts.h. First, a decoded step as bf16, exactly.
HWY_INLINE void StoreAsBf16(const float* step, size_t n, uint16_t* out) {
  for (size_t i = 0; i < n; i += FloatLanes()) {
    StoreBf16(hn::Load(DF(), step + i), DF(), reinterpret_cast<Bf16*>(out + i), Whole());
  }
}
HWY_INLINE void StoreAsBf16(const uint16_t* step, size_t n, uint16_t* out) {
  std::memcpy(out, step, n * sizeof(*out));
}

template <class W>
void DecodeBf16Row(const uint8_t* weights, const uint8_t* scales, size_t cols, uint16_t* out) {
  constexpr size_t kStride = W::kStep / W::Vectors() * sizeof(TileElement<W>);
  alignas(64) TileElement<W> step[W::kStep];
  auto* to = reinterpret_cast<uint8_t*>(step);
  size_t k = 0;
  for (; k + W::kStep <= cols; k += W::kStep) {
    DecodeStep<W>(weights, scales, to, kStride);
    StoreAsBf16(step, W::kStep, out + k);
    weights += W::kStepBytes;
    scales += W::kStep / kScaleBlock;
  }
  if (k < cols) {
    Tail<W> tail;
    tail.Fill(weights, scales, cols - k);
    DecodeStep<W>(tail.weights, tail.scales, to, kStride);
    StoreAsBf16(step, W::kStep, out + k);
    k += W::kStep;
  }
  std::fill(out + k, out + Bf16Columns(cols), uint16_t{0});
}

void PartsDecode(const WeightMatrix& w, size_t row, size_t rows, uint16_t* out) {
  WithDecoder(w.format, [&](auto d) HWY_ATTR {
    for (size_t r = 0; r < rows; ++r) {
      DecodeBf16Row<decltype(d)>(WeightRow(w, row + r), ScaleRow(w, row + r), w.cols,
                                 out + r * Bf16Columns(w.cols));
    }
  });
}

void PartsPack(Format weights, Activation activation, const Bf16* x, size_t cols, Range part,
               uint8_t* packed) {
  WithDecoder(weights, [&](auto w) HWY_ATTR {
    using Layout = Bf16Layout<decltype(w)>;
    PackRow<Layout>(activation, x, cols, part, packed);
    if (part.end < cols) return;
    std::fill(packed + PackedBytes<Layout>(cols), packed + Bf16Columns(cols) * sizeof(uint16_t), 0);
  });
}

#endif  // HWY_ARCH_X86

}  // namespace cedar::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace cedar::simd {

HWY_EXPORT(TilesPackedBytes);
HWY_EXPORT(TilesPack);
HWY_EXPORT(TilesMultiply);
HWY_EXPORT(TilesScratchBytes);

void FillMatMulTiles(int64_t target, Kernels* kernels) {
  kernels->prompt = {.name = "Highway, weights decoded in tiles",
                     .packed_bytes = CEDAR_KERNEL(TilesPackedBytes, target),
                     .pack = CEDAR_KERNEL(TilesPack, target),
                     .multiply = CEDAR_KERNEL(TilesMultiply, target),
                     .scratch_bytes = CEDAR_KERNEL(TilesScratchBytes, target)};
}

#if HWY_ARCH_X86
HWY_EXPORT(PartsDecode);
HWY_EXPORT(PartsPack);

MatMulParts MatMulPartsFor(int64_t target) {
  Kernels kernels;
  FillMatMulTiles(target, &kernels);
  return {.tiles = kernels.prompt,
          .decode_bf16 = CEDAR_KERNEL(PartsDecode, target),
          .pack_bf16 = CEDAR_KERNEL(PartsPack, target)};
}
#endif

}  // namespace cedar::simd

#endif  // HWY_ONCE
