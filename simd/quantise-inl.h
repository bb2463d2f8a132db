// The quantisers of activations, window rows, compressed rows and index keys on vectors (model.md,
// Number formats). Every step is exact or one fp32 operation of the oracle's, so the codes are the
// reference's for every input. Included once for each Highway target, by kernel files only.
//
// A block (32 or 16 channels) is covered by whole vectors of a BlockTag: never more lanes than the
// block has, also where vectors are longer.

#if defined(CEDAR_SIMD_QUANTISE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef CEDAR_SIMD_QUANTISE_INL_H_
#undef CEDAR_SIMD_QUANTISE_INL_H_
#else
#define CEDAR_SIMD_QUANTISE_INL_H_
#endif

#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>

#include "simd/bf16-inl.h"
#include "simd/formats.h"

HWY_BEFORE_NAMESPACE();
namespace cedar::simd::HWY_NAMESPACE {

template <size_t kBlock>
using BlockTag = hn::CappedTag<float, kBlock>;

// Lanes of fp32 as bits and back.
template <class D>
using BitsOf = hn::Vec<hn::RebindToUnsigned<D>>;

// ---- E4M3 and E2M1
// -------------------------------------------------------------------------------

// A float with few bits, as the two formats are: its code counts the magnitudes upwards from zero.
template <int kMantissaBits, int kMinExponent, int kLargest>
struct SmallFloat {
  static constexpr int kDropped = 23 - kMantissaBits;  // mantissa bits that fp32 has more
  // The code of a normal number is its upper fp32 bits less this.
  static constexpr uint32_t kOffset = static_cast<uint32_t>(127 + kMinExponent - 1)
                                      << kMantissaBits;
  static constexpr float kMax = kLargest;
  // Smallest normal number, and a number whose last bit weighs as much as the smallest code.
  static constexpr uint32_t kMinNormalBits = static_cast<uint32_t>(127 + kMinExponent) << 23;
  static constexpr uint32_t kAlignBits = static_cast<uint32_t>(127 + kMinExponent + kDropped) << 23;
};
using E4m3 = SmallFloat<3, -6, 448>;
using E2m1 = SmallFloat<1, 0, 6>;

// Codes (without sign) of magnitudes v >= 0, one to a 32-bit lane: to nearest, ties to even,
// saturating.
template <class Small, class D>
HWY_INLINE BitsOf<D> EncodeMagnitude(D d, hn::Vec<D> v) {
  const hn::RebindToUnsigned<D> du;
  const auto clamped = hn::Min(v, hn::Set(d, Small::kMax));
  const auto bits = hn::BitCast(du, clamped);
  // Normal: round the fp32 bits where the short mantissa ends.
  const auto odd = hn::And(hn::ShiftRight<Small::kDropped>(bits), hn::Set(du, 1));
  const auto half =
      hn::Set(du, (1u << (Small::kDropped - 1)) - 1 - (Small::kOffset << Small::kDropped));
  const auto normal = hn::ShiftRight<Small::kDropped>(hn::Add(bits, hn::Add(odd, half)));
  // Subnormal: let an addition round to a multiple of the smallest code.
  const auto align_bits = hn::Set(du, Small::kAlignBits);
  const auto aligned = hn::Add(clamped, hn::BitCast(d, align_bits));
  const auto subnormal = hn::Sub(hn::BitCast(du, aligned), align_bits);
  const auto is_subnormal = hn::Lt(clamped, hn::BitCast(d, hn::Set(du, Small::kMinNormalBits)));
  return hn::IfThenElse(hn::RebindMask(du, is_subnormal), subnormal, normal);
}

// The values of those codes: v >= 0 rounded to nearest, ties to even, saturating.
template <class Small, class D>
HWY_INLINE hn::Vec<D> RoundMagnitude(D d, hn::Vec<D> v) {
  const hn::RebindToUnsigned<D> du;
  const auto clamped = hn::Min(v, hn::Set(d, Small::kMax));
  const auto bits = hn::BitCast(du, clamped);
  const auto odd = hn::And(hn::ShiftRight<Small::kDropped>(bits), hn::Set(du, 1));
  const auto half = hn::Set(du, (1u << (Small::kDropped - 1)) - 1);
  const auto dropped = hn::Set(du, (1u << Small::kDropped) - 1);
  const auto normal = hn::AndNot(dropped, hn::Add(bits, hn::Add(odd, half)));
  const auto align = hn::BitCast(d, hn::Set(du, Small::kAlignBits));
  const auto subnormal = hn::Sub(hn::Add(clamped, align), align);
  const auto is_subnormal = hn::Lt(clamped, hn::BitCast(d, hn::Set(du, Small::kMinNormalBits)));
  return hn::IfThenElse(is_subnormal, subnormal, hn::BitCast(d, normal));
}

// The sign of x (-0 included) as the highest bit of a code of `kBits` bits.
template <int kBits, class D>
HWY_INLINE BitsOf<D> SignOfCode(D, hn::Vec<D> x) {
  const hn::RebindToUnsigned<D> du;
  return hn::ShiftLeft<kBits - 1>(hn::ShiftRight<31>(hn::BitCast(du, x)));
}

// The value of E4M3 codes, one to a 32-bit lane; NaN for 0x7F and 0xFF.
template <class D>
HWY_INLINE hn::Vec<D> DecodeE4m3(D d, BitsOf<D> codes) {
  const hn::RebindToUnsigned<D> du;
  const hn::RebindToSigned<D> di;
  const auto magnitude = hn::And(codes, hn::Set(du, 0x7F));
  const auto nan = hn::Eq(magnitude, hn::Set(du, 0x7F));
  const auto sign = hn::ShiftLeft<24>(hn::Xor(codes, magnitude));
  const auto normal = hn::ShiftLeft<E4m3::kDropped>(hn::Add(magnitude, hn::Set(du, E4m3::kOffset)));
  const auto subnormal = hn::BitCast(
      du, hn::Mul(hn::ConvertTo(d, hn::BitCast(di, magnitude)), hn::Set(d, 1.0f / 512)));
  const auto bits = hn::IfThenElse(hn::Lt(magnitude, hn::Set(du, 8)), subnormal, normal);
  return hn::BitCast(d, hn::Or(sign, hn::IfThenElse(nan, hn::Set(du, 0x7FC00000u), bits)));
}

// ---- scales
// --------------------------------------------------------------------------------------

// The largest magnitude of a block, in every lane.
template <size_t kBlock>
HWY_INLINE hn::Vec<BlockTag<kBlock>> LargestMagnitude(const Bf16* x) {
  const BlockTag<kBlock> d;
  auto largest = hn::Zero(d);
  for (size_t i = 0; i < kBlock; i += hn::Lanes(d)) {
    largest = hn::Max(largest, hn::Abs(LoadBf16(d, x + i, Whole())));
  }
  return hn::MaxOfLanes(d, largest);
}

// UE8M0 code of 2^ceil(log2(x)), x positive and normal: a mantissa that is not 0 carries.
template <class D>
HWY_INLINE BitsOf<D> CeilPowerOfTwoCode(D, hn::Vec<D> x) {
  const hn::RebindToUnsigned<D> du;
  return hn::ShiftRight<23>(hn::Add(hn::BitCast(du, x), hn::Set(du, 0x7FFFFF)));
}

// Scale code of a block of FP8 values, from its largest magnitude.
template <class D>
HWY_INLINE BitsOf<D> Fp8ScaleCode(D d, hn::Vec<D> largest) {
  return CeilPowerOfTwoCode(
      d, hn::Mul(hn::Max(largest, hn::Set(d, 1e-4f)), hn::Set(d, 1.0f / kFp8Max)));
}

// Scale code of a block of FP4 values of an index key.
template <class D>
HWY_INLINE BitsOf<D> Fp4ScaleCode(D d, hn::Vec<D> largest) {
  return CeilPowerOfTwoCode(
      d, hn::Mul(hn::Max(largest, hn::Set(d, 6 * 0x1p-126f)), hn::Set(d, 1.0f / kFp4Max)));
}

// 2^(code - 127) and its reciprocal, for codes in 1..253. Multiplying by the reciprocal is the
// exact division: what underflows has code 0 either way.
template <class D>
HWY_INLINE hn::Vec<D> PowerOfTwo(D d, BitsOf<D> code) {
  return hn::BitCast(d, hn::ShiftLeft<23>(code));
}
template <class D>
HWY_INLINE hn::Vec<D> InversePowerOfTwo(D d, BitsOf<D> code) {
  const hn::RebindToUnsigned<D> du;
  return PowerOfTwo(d, hn::Sub(hn::Set(du, 254), code));
}

// ---- blocks
// --------------------------------------------------------------------------------------

// 32 channels -> 32 E4M3 codes; returns the UE8M0 code of their scale. This is what happens to
// activations before an FP8 or FP4 weight, and to window rows.
HWY_INLINE uint8_t QuantiseFp8Block(const Bf16* x, uint8_t* codes) {
  const BlockTag<kScaleBlock> d;
  const hn::Rebind<uint8_t, decltype(d)> d8;
  const auto scale = Fp8ScaleCode(d, LargestMagnitude<kScaleBlock>(x));
  const auto inverse = InversePowerOfTwo(d, scale);
  for (size_t i = 0; i < kScaleBlock; i += hn::Lanes(d)) {
    const auto v = LoadBf16(d, x + i, Whole());
    const auto magnitude = EncodeMagnitude<E4m3>(d, hn::Mul(hn::Abs(v), inverse));
    hn::StoreU(hn::TruncateTo(d8, hn::Or(magnitude, SignOfCode<8>(d, v))), d8, codes + i);
  }
  return static_cast<uint8_t>(hn::GetLane(scale));
}

// Stores E2M1 codes, one to a 32-bit lane, as pairs: the even lane in the low nibble.
template <class D>
HWY_INLINE void StoreE2m1Pairs(D, BitsOf<D> codes, uint8_t* pairs) {
  const hn::RepartitionToWide<hn::RebindToUnsigned<D>> d64;
  const hn::Rebind<uint8_t, decltype(d64)> d8;
  const auto two = hn::BitCast(d64, codes);
  hn::StoreU(hn::TruncateTo(d8, hn::Or(two, hn::ShiftRight<28>(two))), d8, pairs);
}

// E2M1 codes with sign of v / scale; v not yet divided.
template <class D>
HWY_INLINE BitsOf<D> EncodeE2m1(D d, hn::Vec<D> v) {
  return hn::Or(EncodeMagnitude<E2m1>(d, hn::Abs(v)), SignOfCode<4>(d, v));
}

// 32 channels -> 16 E2M1 pairs; returns the UE8M0 code of their scale (index keys and queries).
HWY_INLINE uint8_t QuantiseIndexBlock(const Bf16* x, uint8_t* pairs) {
  const BlockTag<kScaleBlock> d;
  const auto scale = Fp4ScaleCode(d, LargestMagnitude<kScaleBlock>(x));
  const auto inverse = InversePowerOfTwo(d, scale);
  for (size_t i = 0; i < kScaleBlock; i += hn::Lanes(d)) {
    const auto v = hn::Mul(LoadBf16(d, x + i, Whole()), inverse);
    StoreE2m1Pairs(d, EncodeE2m1(d, v), pairs + i / 2);
  }
  return static_cast<uint8_t>(hn::GetLane(scale));
}

// 16 channels -> 8 E2M1 pairs; returns the E4M3 code of their scale (compressed rows). A true
// division: a product with the reciprocal would move exact ties.
HWY_INLINE uint8_t QuantiseCompressedBlock(const Bf16* x, uint8_t* pairs) {
  const BlockTag<kCompressedBlock> d;
  const auto largest = LargestMagnitude<kCompressedBlock>(x);
  const auto unrounded = hn::Div(hn::Max(largest, hn::Set(d, 6 * 0x1p-9f)), hn::Set(d, kFp4Max));
  const auto scale = EncodeMagnitude<E4m3>(d, unrounded);
  const auto divisor = DecodeE4m3(d, scale);
  for (size_t i = 0; i < kCompressedBlock; i += hn::Lanes(d)) {
    const auto v = hn::Div(LoadBf16(d, x + i, Whole()), divisor);
    StoreE2m1Pairs(d, EncodeE2m1(d, v), pairs + i / 2);
  }
  return static_cast<uint8_t>(hn::GetLane(scale));
}

}  // namespace cedar::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // include guard
