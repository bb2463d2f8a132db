// Rows of activations as the matrix products want them: quantised, and in the order in which the
// decoders leave the weights. Included once for each Highway target, by kernel files only.

#if defined(CEDAR_SIMD_MATMUL_PACK_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef CEDAR_SIMD_MATMUL_PACK_INL_H_
#undef CEDAR_SIMD_MATMUL_PACK_INL_H_
#else
#define CEDAR_SIMD_MATMUL_PACK_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "simd/bf16-inl.h"
#include "simd/decode-inl.h"
#include "simd/formats.h"
#include "simd/matrix.h"
#include "simd/quantise-inl.h"

HWY_BEFORE_NAMESPACE();
namespace cedar::simd::HWY_NAMESPACE {

// Lanes of fp32 that are exact in bf16. fp32 carries the decoder's factor, bf16 none.
template <class W, class D>
HWY_INLINE void StoreExact(hn::Vec<D> v, D d, float* out) {
  if constexpr (requires { W::kActivationFactor; }) {
    v = hn::Mul(v, hn::Set(d, W::kActivationFactor));
  }
  hn::StoreU(v, d, out);
}
template <class W, class D>
HWY_INLINE void StoreExact(hn::Vec<D> v, D, uint16_t* out) {
  const hn::RebindToUnsigned<D> du;
  const hn::Rebind<uint16_t, D> d16;
  hn::StoreU(hn::TruncateTo(d16, hn::ShiftRight<16>(hn::BitCast(du, v))), d16, out);
}

// 32 activations -> what the product sees of them, in their own order.
template <class W, typename Element>
HWY_INLINE void QuantisedBlock(Activation activation, const Bf16* x, Element* out) {
  const BlockTag<kScaleBlock> d;
  if (activation != Activation::kFp8) {
    for (size_t i = 0; i < kScaleBlock; i += hn::Lanes(d)) {
      StoreExact<W>(LoadBf16(d, x + i, Whole()), d, out + i);
    }
    return;
  }
  const auto code = Fp8ScaleCode(d, LargestMagnitude<kScaleBlock>(x));
  const auto scale = PowerOfTwo(d, code), inverse = InversePowerOfTwo(d, code);
  for (size_t i = 0; i < kScaleBlock; i += hn::Lanes(d)) {
    const auto v = LoadBf16(d, x + i, Whole());
    const auto rounded = RoundMagnitude<E4m3>(d, hn::Mul(hn::Abs(v), inverse));
    StoreExact<W>(hn::CopySign(hn::Mul(rounded, scale), v), d, out + i);
  }
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

// Where each channel of a step goes.
template <class Layout>
struct PackOrder {
  static constexpr size_t kRun = 8;

  uint16_t place[Layout::kStep];
  bool in_runs = true;  // of so many neighbours that stay together

  PackOrder() {
    using W = typename Layout::Decoder;
    const size_t lanes = Layout::kStep / W::Vectors();
    for (size_t i = 0; i < Layout::kStep; ++i) {
      place[Layout::kPlain ? i : W::Channel(i / lanes, i % lanes)] = static_cast<uint16_t>(i);
    }
    for (size_t i = 0; i < Layout::kStep; ++i) {
      in_runs = in_runs && place[i] == place[i / kRun * kRun] + i % kRun;
    }
  }
};

template <class Layout>
size_t PackedBytes(size_t cols) {
  const size_t steps = (cols + Layout::kStep - 1) / Layout::kStep;
  return (steps * Layout::kStep * sizeof(typename Layout::Element) + 63) / 64 * 64;
}

// The channels `part` of one step, of which the first `filled` exist; the others are zeros.
template <class Layout>
HWY_INLINE void PackStep(Activation activation, const Bf16* x, size_t filled, Range part,
                         typename Layout::Element* out) {
  static const PackOrder<Layout> order;
  typename Layout::Element step[Layout::kStep] = {};
  for (size_t i = part.begin; i < std::min(part.end, filled); i += kScaleBlock) {
    QuantisedBlock<typename Layout::Decoder>(activation, x + i, step + i);
  }
  if (order.in_runs) {
    constexpr size_t kRun = PackOrder<Layout>::kRun;
    for (size_t i = part.begin; i < part.end; i += kRun) {
      std::memcpy(out + order.place[i], step + i, kRun * sizeof(*out));
    }
  } else {
    for (size_t i = part.begin; i < part.end; ++i) out[order.place[i]] = step[i];
  }
}

// What the last step has beyond the row belongs to its last part.
template <class Layout>
void PackRow(Activation activation, const Bf16* x, size_t cols, Range part, uint8_t* packed) {
  constexpr size_t kStep = Layout::kStep;
  auto* const out = reinterpret_cast<typename Layout::Element*>(packed);
  for (size_t k = part.begin / kStep * kStep; k < part.end; k += kStep) {
    const size_t end = part.end == cols ? kStep : std::min(part.end - k, kStep);
    const Range mine{std::max(part.begin, k) - k, end};
    PackStep<Layout>(activation, x + k, cols - k, mine, out + k);
  }
}

}  // namespace cedar::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // include guard
