// How weights of each format become vectors for dot products, for the matrix products (model.md,
// Number formats). Included once for each Highway target, by kernel files only.
//
// Each struct describes one format on this target:
//
//   kStep             channels that are decoded together
//   kStepBytes        their bytes in a weight row
//   kActivationBytes  and in a packed row of activations
//   Vectors()         vectors of products that a step makes
//   Read(w)           the step at w, as Weight() wants it: read once, for all its vectors
//   Weight(read, q)   vector q of the step, exact but for a scale
//   Activation(x, q)  the activations that meet it, from a packed row
//   Scale(s)          what each lane's sum of the step's products is still to be multiplied with
//   Channel(q, lane)  which channel of the step that lane of Weight(read, q) holds
//   kPlain            packed activations are in their own order and bf16; else in Channel's order
//   kActivationFactor if there, packed activations of fp32 are multiplied with it
//
// and for weights that get their scales before they are multiplied, as bf16:
//
//   TileScale(s)            the scales of the step at s, as Scaled() wants them
//   Scaled(read, scale, q)  vector q of the step, with its scale
//
// There are two kinds of arithmetic. On Zen 4 and 5 FP4, FP8 and BF16 are summed by bf16 dot
// products. Everywhere else they are decoded to fp32 and summed by fused multiply-adds: Intel's
// bf16 dots run at half the rate of its fp32 ones, so AVX3_SPR is of the second kind.

#if defined(CEDAR_SIMD_DECODE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef CEDAR_SIMD_DECODE_INL_H_
#undef CEDAR_SIMD_DECODE_INL_H_
#else
#define CEDAR_SIMD_DECODE_INL_H_
#endif

#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "simd/decode_dots-inl.h"
#include "simd/decode_tables.h"
#include "simd/matrix.h"
#include "simd/vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace cedar::simd::HWY_NAMESPACE {

// ---- fp32 weights: activations stay bf16, in their own order ------------------------------------

struct F32Weights {
  static constexpr size_t kStep = 32, kStepBytes = 128, kActivationBytes = 64;
  static constexpr bool kScaled = false, kPlain = true;
  static constexpr size_t kGroup = 1;
  static constexpr bool kScalesActivations = false;
  using Activations = uint16_t;

  static HWY_INLINE CEDAR_FIXED_CONSTEXPR size_t Vectors() { return kStep / FloatLanes(); }
  static HWY_INLINE const uint8_t* Read(const uint8_t* w) { return w; }
  static HWY_INLINE VF Weight(const uint8_t* w, size_t q) {
    return hn::BitCast(DF(), LoadBytes(w + q * 4 * FloatLanes()));
  }
  static HWY_INLINE VF Activation(const uint8_t* x, size_t q) {
    return LoadBf16Lanes(reinterpret_cast<const uint16_t*>(x) + q * FloatLanes());
  }
  static HWY_INLINE size_t Channel(size_t q, size_t lane) { return q * FloatLanes() + lane; }
};

#if !CEDAR_BF16_DOTS

// ---- fp32 ---------------------------------------------------------------------------------------
//
// A step is one block of 32 channels, so its scale is the same for all lanes.

// bf16: the even channels of a vector are its 32-bit lanes shifted up, the odd ones what is above.
struct Bf16Weights {
  static constexpr size_t kStep = 32, kStepBytes = 64, kActivationBytes = 64;
  static constexpr bool kScaled = false, kPlain = true;
  static constexpr size_t kGroup = 1;
  static constexpr bool kScalesActivations = false;
  using Activations = uint16_t;

  static HWY_INLINE CEDAR_FIXED_CONSTEXPR size_t Vectors() { return kStep / FloatLanes(); }
  static HWY_INLINE const uint8_t* Read(const uint8_t* w) { return w; }
  static HWY_INLINE VF Weight(const uint8_t* w, size_t q) {
    const auto two = hn::BitCast(D32(), LoadBytes(w + q / 2 * 4 * FloatLanes()));
    return hn::BitCast(
        DF(), q % 2 == 0 ? hn::ShiftLeft<16>(two) : hn::And(two, hn::Set(D32(), 0xFFFF0000u)));
  }
  static HWY_INLINE VF Activation(const uint8_t* x, size_t q) { return Weight(x, q); }
  static HWY_INLINE size_t Channel(size_t q, size_t lane) {
    return q / 2 * 2 * FloatLanes() + 2 * lane + q % 2;
  }
};

// What the two scaled formats have in common: packed activations are fp32.
struct ScaledBlock {
  static constexpr size_t kStep = 32, kActivationBytes = 128, kGroup = 1;
  static constexpr bool kScaled = true, kPlain = false, kScalesActivations = false;
  using Activations = float;

  static HWY_INLINE CEDAR_FIXED_CONSTEXPR size_t Vectors() { return kStep / FloatLanes(); }
  static HWY_INLINE VF Activation(const uint8_t* x, size_t q) {
    return hn::Load(DF(), reinterpret_cast<const float*>(x) + q * FloatLanes());
  }
};

// An E4M3 code is the upper part of an fp16 but for its exponent's bias, which the scale makes
// good.
struct Fp8Weights : ScaledBlock {
  static constexpr size_t kStepBytes = 32;

  static HWY_INLINE const uint8_t* Read(const uint8_t* w) { return w; }
  static HWY_INLINE VF Weight(const uint8_t* w, size_t q) {
    const hn::Rebind<int8_t, DF> d8;
    const hn::Rebind<int16_t, DF> d16;
    const hn::Rebind<hwy::float16_t, DF> half;
    const auto codes = hn::LoadU(d8, reinterpret_cast<const int8_t*>(w) + q * FloatLanes());
    const auto widened = hn::ShiftLeft<7>(hn::PromoteTo(d16, codes));
    const auto bits = hn::And(widened, hn::Set(d16, static_cast<int16_t>(0xBFFF)));
    return hn::PromoteTo(DF(), hn::BitCast(half, bits));
  }
  static HWY_INLINE VF Scale(const uint8_t* s) { return hn::Set(DF(), kScale<8>.values[*s]); }
  static HWY_INLINE size_t Channel(size_t q, size_t lane) { return q * FloatLanes() + lane; }
};

#if HWY_TARGET == HWY_AVX2

// A code is also the upper part of an fp32, but for a bias of 120 then, its subnormals subnormals
// of fp32: half as many instructions, for generated rows, which decode a weight for each use. Half
// of the bias is made good by activations and half by scales; both must be below 2^67. Products of
// subnormals cost nothing more on AMD; Intel's CPUs stop for them, but of trained weights, whose
// blocks reach up to 448 or near it, about one in ten thousand is below 2^-6.
struct Fp8Codes : ScaledBlock {
  static constexpr size_t kStepBytes = 32;
  static constexpr float kActivationFactor = 0x1p60f;

  static HWY_INLINE const uint8_t* Read(const uint8_t* w) { return w; }
  static HWY_INLINE VF Weight(const uint8_t* w, size_t q) {
    const auto codes = LoadBytes(w), zero = hn::Zero(D8());
    const auto words =
        q < 2 ? hn::InterleaveLower(D8(), zero, codes) : hn::InterleaveUpper(D8(), zero, codes);
    // The exponent gets to its place, copies of the sign come between; they are masked out.
    const auto two =
        hn::BitCast(D32(), hn::ShiftRight<4>(hn::BitCast(hn::Repartition<int16_t, DF>(), words)));
    const auto one = q % 2 == 0 ? hn::ShiftLeft<16>(two) : two;
    return hn::BitCast(DF(), hn::And(one, hn::Set(D32(), 0x87F00000u)));
  }
  static HWY_INLINE VF Scale(const uint8_t* s) { return hn::Set(DF(), kScale<60>.values[*s]); }
  static HWY_INLINE size_t Channel(size_t q, size_t lane) {
    return lane / 4 * 16 + q / 2 * 8 + lane % 4 * 2 + q % 2;
  }
};

#endif

#if HWY_TARGET <= HWY_AVX3_DL && HWY_ARCH_X86

// A vector of 16 fp32 is the whole table.
struct Fp4Weights : ScaledBlock {
  static constexpr size_t kStepBytes = 16;

  static HWY_INLINE const uint8_t* Read(const uint8_t* w) { return w; }
  static HWY_INLINE VF Weight(const uint8_t* w, size_t q) {
    const auto pairs = hn::PromoteTo(D32(), hn::LoadU(hn::Rebind<uint8_t, DF>(), w));
    const auto nibble = q == 0 ? pairs : hn::ShiftRight<4>(pairs);
    // The lookup reads the lower 4 bits only.
    return hn::TableLookupLanes(hn::Load(DF(), kE2m1Float.values),
                                hn::Indices512<float>{nibble.raw});
  }
  static HWY_INLINE VF Scale(const uint8_t* s) { return hn::Set(DF(), kScale<0>.values[*s]); }
  static HWY_INLINE size_t Channel(size_t q, size_t lane) { return 2 * lane + q; }
};

#elif HWY_TARGET == HWY_AVX2

// 16 bytes twice: the lower half of the vector takes the lower nibbles and the upper half the upper
// ones. Byte lookups of the two halves of a bf16, interleaved, then widened.
struct Fp4Weights : ScaledBlock {
  static constexpr size_t kStepBytes = 16;

  static HWY_INLINE const uint8_t* Read(const uint8_t* w) { return w; }
  static HWY_INLINE VF Weight(const uint8_t* w, size_t q) {
    const auto pairs = hn::BitCast(D32(), hn::LoadDup128(D8(), w));
    const auto shifted = hn::Shr(pairs, hn::Load(D32(), kNibbleShifts.values));
    const auto nibbles = hn::And(hn::BitCast(D8(), shifted), hn::Set(D8(), 15));
    const auto low = hn::TableLookupBytes(hn::LoadDup128(D8(), kE2m1Low.bytes), nibbles);
    const auto high = hn::TableLookupBytes(hn::LoadDup128(D8(), kE2m1High.bytes), nibbles);
    const auto two = hn::BitCast(
        D32(), q < 2 ? hn::InterleaveLower(D8(), low, high) : hn::InterleaveUpper(D8(), low, high));
    return hn::BitCast(
        DF(), q % 2 == 0 ? hn::ShiftLeft<16>(two) : hn::And(two, hn::Set(D32(), 0xFFFF0000u)));
  }
  static HWY_INLINE VF Scale(const uint8_t* s) { return hn::Set(DF(), kScale<0>.values[*s]); }
  static HWY_INLINE size_t Channel(size_t q, size_t lane) {
    const size_t byte = q / 2 * 8 + lane % 4 * 2 + q % 2;
    return 2 * byte + lane / 4;
  }
};

#else

// An E2M1 code is the upper part of an fp16 but for its exponent's bias, which the scale makes
// good.
struct Fp4Weights : ScaledBlock {
  static constexpr size_t kStepBytes = 16;

  static HWY_INLINE const uint8_t* Read(const uint8_t* w) { return w; }
  static HWY_INLINE VF Weight(const uint8_t* w, size_t q) {
    const hn::Rebind<uint8_t, DF> d8;
    const hn::Rebind<uint16_t, DF> d16;
    const hn::Rebind<hwy::float16_t, DF> half;
    const auto pairs = hn::PromoteTo(d16, hn::LoadU(d8, w + q / 2 * FloatLanes()));
    const auto nibble = q % 2 == 0 ? pairs : hn::ShiftRight<4>(pairs);
    const auto sign = hn::And(hn::ShiftLeft<12>(nibble), hn::Set(d16, 0x8000));
    const auto magnitude = hn::And(hn::ShiftLeft<9>(nibble), hn::Set(d16, 0x0E00));
    return hn::PromoteTo(DF(), hn::BitCast(half, hn::Or(sign, magnitude)));
  }
  static HWY_INLINE VF Scale(const uint8_t* s) { return hn::Set(DF(), kScale<14>.values[*s]); }
  static HWY_INLINE size_t Channel(size_t q, size_t lane) {
    return 2 * (q / 2 * FloatLanes() + lane) + q % 2;
  }
};

#endif
#endif  // !CEDAR_BF16_DOTS

// ---- decoded copies -----------------------------------------------------------------------------

// The type of a decoder's lanes: fp32 or bf16 (as uint16_t).
template <class W>
using WeightVector = std::conditional_t<CEDAR_BF16_DOTS && !std::is_same_v<W, F32Weights>, VB, VF>;
template <class W>
using TileElement = std::conditional_t<std::is_same_v<WeightVector<W>, VF>, float, uint16_t>;

// The scales of a step as ScaledWeight() wants them, and vector q of the step with its scale.
template <class W>
HWY_INLINE auto WeightScale(const uint8_t* s) {
  if constexpr (std::is_same_v<WeightVector<W>, VF>) {
    return W::Scale(s);
  } else {
    return W::TileScale(s);
  }
}
template <class W, class Read, class Scale>
HWY_INLINE WeightVector<W> ScaledWeight(const Read& read, const Scale& scale, size_t q) {
  if constexpr (std::is_same_v<WeightVector<W>, VF>) {
    return hn::Mul(W::Weight(read, q), scale);
  } else {
    return W::Scaled(read, scale, q);
  }
}

// W with the scales in the weights, as in tiles: for prompts of few rows.
template <class W>
struct ScaledWeights : W {
  static constexpr bool kScaled = false, kScalesWeights = true;
  static constexpr size_t kGroup = 1;
};

// ---- the decoder of a format --------------------------------------------------------------------

// The one that products of generated rows use for what W decodes.
#if CEDAR_BF16_DOTS || HWY_TARGET == HWY_AVX2
template <class W>
using RowDecoder = std::conditional_t<std::is_same_v<W, Fp8Weights>, Fp8Codes, W>;
#else
template <class W>
using RowDecoder = W;
#endif

// Calls body with it.
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

}  // namespace cedar::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // include guard
