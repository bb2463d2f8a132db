// Rows of activations as the matrix products want them: quantised, and in the order in which the
// decoders leave the weights. Included once for each Highway target, by kernel files only.

#if defined(CEDAR_SIMD_MATMUL_PACK_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef CEDAR_SIMD_MATMUL_PACK_INL_H_
#undef CEDAR_SIMD_MATMUL_PACK_INL_H_
#else
#define CEDAR_SIMD_MATMUL_PACK_INL_H_
#endif

#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>

#include "simd/bf16-inl.h"
#include "simd/decode-inl.h"
#include "simd/formats.h"
#include "simd/matrix.h"
#include "simd/quantise-inl.h"

HWY_BEFORE_NAMESPACE();
namespace cedar::simd::HWY_NAMESPACE {

// 32 activations -> the fp32 that the product sees, exact in bf16.
HWY_INLINE void QuantisedBlock(Activation activation, const Bf16* x, float* out) {
  const BlockTag<kScaleBlock> d;
  const auto code = Fp8ScaleCode(d, LargestMagnitude<kScaleBlock>(x));
  const auto scale = PowerOfTwo(d, code), inverse = InversePowerOfTwo(d, code);
  for (size_t i = 0; i < kScaleBlock; i += hn::Lanes(d)) {
    auto v = LoadBf16(d, x + i, Whole());
    if (activation == Activation::kFp8) {
      const auto rounded = EncodeMagnitude<E4m3>(d, hn::Mul(hn::Abs(v), inverse));
      v = hn::CopySign(hn::Mul(DecodeE4m3(d, rounded), scale), v);
    }
    hn::StoreU(v, d, out + i);
  }
}

// fp32 carries the decoder's factor, bf16 none.
template <class W>
void StorePacked(float value, float* out) {
  if constexpr (requires { W::kActivationFactor; }) value *= W::kActivationFactor;
  *out = value;
}
template <class W>
void StorePacked(float value, uint16_t* out) {
  *out = RoundToBf16(value).bits;
}

// The two layouts of a packed row. For the products that decode in registers, as the decoder says:
template <class W>
struct RegisterLayout {
  using Element = typename W::Activations;
  static constexpr size_t kStep = W::kStep;
  static constexpr bool kPlain = W::kPlain;
  using Decoder = W;
};

// And for those on decoded tiles, in the element type and order of its lanes.
template <class W>
struct TileLayout {
  using Element = TileElement<W>;
  static constexpr size_t kStep = W::kStep;
  static constexpr bool kPlain = false;
  using Decoder = W;
};

// The same order, always as bf16.
template <class W>
struct Bf16Layout : TileLayout<W> {
  using Element = uint16_t;
};

// Which channel of a step goes where.
template <class Layout>
struct PackOrder {
  uint16_t channel[Layout::kStep];

  PackOrder() {
    using W = typename Layout::Decoder;
    const size_t lanes = Layout::kStep / W::Vectors();
    for (size_t i = 0; i < Layout::kStep; ++i) {
      channel[i] = static_cast<uint16_t>(Layout::kPlain ? i : W::Channel(i / lanes, i % lanes));
    }
  }
};

template <class Layout>
size_t PackedBytes(size_t cols) {
  const size_t steps = (cols + Layout::kStep - 1) / Layout::kStep;
  return (steps * Layout::kStep * sizeof(typename Layout::Element) + 63) / 64 * 64;
}

// The last step is filled up with zeros.
template <class Layout>
void PackRow(Activation activation, const Bf16* x, size_t cols, uint8_t* packed) {
  constexpr size_t kStep = Layout::kStep;
  const PackOrder<Layout> order;
  auto* out = reinterpret_cast<typename Layout::Element*>(packed);
  for (size_t k = 0; k < cols; k += kStep, out += kStep) {
    float step[kStep] = {};
    for (size_t i = 0; i < kStep && k + i < cols; i += kScaleBlock) {
      QuantisedBlock(activation, x + k + i, step + i);
    }
    for (size_t i = 0; i < kStep; ++i) {
      StorePacked<typename Layout::Decoder>(step[order.channel[i]], out + i);
    }
  }
}

}  // namespace cedar::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // include guard
