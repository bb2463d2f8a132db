// bf16 dot products with the weights of Zen 4 and 5; see decode-inl.h, which includes this.

#if defined(CEDAR_SIMD_DECODE_DOTS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef CEDAR_SIMD_DECODE_DOTS_INL_H_
#undef CEDAR_SIMD_DECODE_DOTS_INL_H_
#else
#define CEDAR_SIMD_DECODE_DOTS_INL_H_
#endif

#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "simd/decode_tables.h"
#include "simd/vectors-inl.h"

#if CEDAR_BF16_DOTS

HWY_BEFORE_NAMESPACE();
namespace cedar::simd::HWY_NAMESPACE {

HWY_INLINE VF AddProducts(VB w, VB x, VF sum) {
  VF unused = hn::Zero(DF());
  return hn::ReorderWidenMulAccumulate(DF(), w, x, sum, unused);
}

// The same with x in memory, 64-byte aligned. One row of FP4 streams a sixth faster so: g++ 12
// never makes the load a part of the instruction.
HWY_INLINE VF AddProductsFrom(VB w, const uint8_t* x, VF sum) {
  asm("vdpbf16ps %2, %1, %0"
      : "+v"(sum.raw)
      : "v"(w.raw), "m"(*reinterpret_cast<const __m512i*>(x)));
  return sum;
}

// What a step needs of scales in each lane, from `kCodes` codes, 2 or 4: the code in the exponent
// of an fp32, and of both its bf16 halves.
template <size_t kCodes>
HWY_INLINE hn::Vec<D16> SpreadCodes(const uint8_t* s, const uint8_t* order) {
  using Codes = std::conditional_t<kCodes == 4, uint32_t, uint16_t>;
  Codes codes;
  std::memcpy(&codes, s, sizeof(codes));
  const auto all = hn::BitCast(D8(), hn::Set(hn::Repartition<Codes, DF>(), codes));
  return hn::ShiftLeft<7>(hn::BitCast(D16(), hn::TableLookupBytesOr0(all, hn::Load(D8(), order))));
}
HWY_INLINE VF ScaleOf(hn::Vec<D32> exponents) {
  return hn::BitCast(DF(), hn::Max(exponents, hn::Set(D32(), kSmallestScaleBits)));
}
template <size_t kCodes>
HWY_INLINE VF LaneScales(const uint8_t* s) {
  return ScaleOf(hn::BitCast(D32(), SpreadCodes<kCodes>(s, kLaneCodes<kCodes>.upper)));
}
template <size_t kCodes>
HWY_INLINE hn::Vec<D16> LaneExponents(const uint8_t* s) {
  return SpreadCodes<kCodes>(s, kLaneCodes<kCodes>.both);
}

struct Bf16Weights {
  static constexpr size_t kStep = 32, kStepBytes = 64, kActivationBytes = 64;
  static constexpr bool kScaled = false, kPlain = true;
  static constexpr size_t kGroup = 1;
  static constexpr bool kScalesActivations = false;
  using Activations = uint16_t;

  static HWY_INLINE CEDAR_FIXED_CONSTEXPR size_t Vectors() { return 1; }
  static HWY_INLINE VB Read(const uint8_t* w) { return hn::BitCast(DB(), LoadBytes(w)); }
  static HWY_INLINE VB Weight(VB read, size_t) { return read; }
  static HWY_INLINE VB Activation(const uint8_t* x, size_t) { return Read(x); }
  static HWY_INLINE size_t Channel(size_t, size_t lane) { return lane; }
};

// 64 codes: a vector from the lower 8 bytes of each 16, the next from the upper ones. The lower
// half of the lanes belongs to one scale, the upper half to another.
struct Fp8Weights {
  static constexpr size_t kStep = 64, kStepBytes = 64, kActivationBytes = 128;
  static constexpr bool kScaled = true, kPlain = false;
  static constexpr size_t kGroup = 1;
  static constexpr bool kScalesActivations = false;
  using Activations = uint16_t;

  static HWY_INLINE CEDAR_FIXED_CONSTEXPR size_t Vectors() { return 2; }
  static HWY_INLINE hn::Vec<D8> Read(const uint8_t* w) { return Kept(LoadBytes(w)); }
  static HWY_INLINE VB Activation(const uint8_t* x, size_t q) {
    return hn::BitCast(DB(), LoadBytes(x + 64 * q));
  }
  static HWY_INLINE size_t Channel(size_t q, size_t lane) {
    return lane / 8 * 16 + q * 8 + lane % 8;
  }

  // The tables hold everything times 2^127, without sign, so that a step down leaves a zero what it
  // is; what falls below 2^-126 becomes zero or a subnormal, which the dot product takes for zero.
  static HWY_INLINE hn::Vec<D16> TileScale(const uint8_t* s) {
    return hn::Sub(hn::Set(D16(), 254 << 7), LaneExponents<2>(s));
  }
  static HWY_INLINE VB Scaled(hn::Vec<D8> codes, hn::Vec<D16> down, size_t q) {
    const auto up = Words(Lookup(kHighE4m3Low, codes), Lookup(kHighE4m3High, codes), q);
    const auto sign = Words(codes, codes, q);
    return hn::BitCast(DB(), hn::OrAnd(hn::SaturatedSub(up, down), sign, hn::Set(D16(), 0x8000)));
  }

 protected:
  // Half of the lanes that these make as lower and upper bytes.
  static HWY_INLINE hn::Vec<D16> Words(hn::Vec<D8> low, hn::Vec<D8> high, size_t q) {
    return hn::BitCast(D16(), q == 0 ? hn::InterleaveLower(D8(), low, high)
                                     : hn::InterleaveUpper(D8(), low, high));
  }
  // The lookup reads the lower 7 bits only, which Highway's IndicesFromVec would not let pass.
  static HWY_INLINE hn::Vec<D8> Lookup(const ByteTable<128>& table, hn::Vec<D8> codes) {
    return hn::TwoTablesLookupLanes(D8(), LoadBytes(table.bytes), LoadBytes(table.bytes + 64),
                                    hn::Indices512<uint8_t>{codes.raw});
  }
};

// The codes alone, times 2^-8, for activations that hold the scales (times 2^8).
struct Fp8Codes : Fp8Weights {
  static constexpr bool kScaled = false;
  static constexpr bool kScalesActivations = true;

  static HWY_INLINE VB Weight(hn::Vec<D8> codes, size_t q) {
    const auto high = hn::OrAnd(Lookup(kE4m3High, codes), codes, hn::Set(D8(), 0x80));
    return hn::BitCast(DB(), Words(Lookup(kE4m3Low, codes), high, q));
  }

  // The part of a packed row of activations that belongs to steps [begin, end), times the scales of
  // weight columns, of which there are `cols`. Exact, but for what ends below 2^-126.
  static HWY_INLINE void ScaleActivations(const uint8_t* x, const uint8_t* scales, size_t cols,
                                          size_t begin, size_t end, uint8_t* out) {
    const size_t blocks = cols / kScaleBlock;
    for (size_t step = begin; step < end; ++step, x += kActivationBytes, out += kActivationBytes) {
      const uint8_t lower = scales[2 * step];
      const uint8_t upper = 2 * step + 1 < blocks ? scales[2 * step + 1] : lower;
      const auto scale = hn::IfThenElse(hn::FirstN(DF(), hn::Lanes(DF()) / 2),
                                        hn::Set(DF(), kScale<8>.values[lower]),
                                        hn::Set(DF(), kScale<8>.values[upper]));
      for (size_t q = 0; q < 2; ++q) StoreScaled(LoadBytes(x + 64 * q), scale, out + 64 * q);
    }
  }

 private:
  // Pairs of bf16, each times the scale of its lane.
  static HWY_INLINE void StoreScaled(hn::Vec<D8> pairs, VF scale, uint8_t* out) {
    const auto upper = hn::Set(D32(), 0xFFFF0000u);
    const auto two = hn::BitCast(D32(), pairs);
    const auto even = hn::Mul(hn::BitCast(DF(), hn::ShiftLeft<16>(two)), scale);
    const auto odd = hn::Mul(hn::BitCast(DF(), hn::And(two, upper)), scale);
    const auto both = hn::BitwiseIfThenElse(upper, hn::BitCast(D32(), odd),
                                            hn::ShiftRight<16>(hn::BitCast(D32(), even)));
    hn::Store(hn::BitCast(D8(), both), D8(), out);
  }
};

// 128 codes: each of the four nibbles of a 16-bit lane is shifted down and looked up as a bf16. To
// transpose dwords here too would save multiplications with scales, but one row, which has no
// instruction to spare, streams a sixth slower so.
struct Fp4Weights {
  static constexpr size_t kStep = 128, kStepBytes = 64, kActivationBytes = 256;
  static constexpr bool kScaled = true, kPlain = false;
  using Activations = uint16_t;

  static HWY_INLINE CEDAR_FIXED_CONSTEXPR size_t Vectors() { return 4; }
  static HWY_INLINE hn::Vec<D16> Read(const uint8_t* w) {
    return hn::BitCast(D16(), Kept(LoadBytes(w)));
  }
  static HWY_INLINE VB Weight(hn::Vec<D16> pairs, size_t q) {
    return hn::BitCast(DB(), Lookup(kE2m1Bf16Twice, pairs, q));
  }
  static HWY_INLINE VB Activation(const uint8_t* x, size_t q) {
    return hn::BitCast(DB(), LoadBytes(x + 64 * q));
  }
  static HWY_INLINE VF Scale(const uint8_t* s) { return LaneScales<4>(s); }
  static HWY_INLINE size_t Channel(size_t q, size_t lane) { return 4 * lane + q; }

  // The scales of a group of steps cost hardly more than those of one.
  static constexpr size_t kGroup = 4;
  static constexpr bool kScalesActivations = false;
  static HWY_INLINE VF GroupScales(const uint8_t* s) {
    const auto codes = hn::PromoteTo(D32(), hn::LoadU(hn::Rebind<uint8_t, DF>(), s));
    return ScaleOf(hn::ShiftLeft<23>(codes));
  }
  static HWY_INLINE VF GroupScale(VF scales, size_t step) {
    return hn::TableLookupLanes(scales, hn::SetTableIndices(DF(), kGroupLanes[step].values));
  }

  static HWY_INLINE hn::Vec<D16> TileScale(const uint8_t* s) {
    const auto up = hn::Max(LaneExponents<4>(s), hn::Set(D16(), 1 << 7));
    return hn::SaturatedSub(hn::Set(D16(), 253 << 7), up);
  }
  // The table holds everything times 2^126, so that a step down leaves zeros what they are and the
  // sign as well: a scale of 2^-127 counts as 2^-126, and one of 2^127 as 2^126.
  static HWY_INLINE VB Scaled(hn::Vec<D16> pairs, hn::Vec<D16> down, size_t q) {
    return hn::BitCast(DB(), hn::SaturatedSub(Lookup(kE2m1HighBf16Twice, pairs, q), down));
  }

 private:
  // The lookup reads the lower 5 bits only, and the table holds everything twice.
  static HWY_INLINE hn::Vec<D16> Lookup(const WordTable& table, hn::Vec<D16> pairs, size_t q) {
    const auto nibble = q == 0   ? pairs
                        : q == 1 ? hn::ShiftRight<4>(pairs)
                        : q == 2 ? hn::ShiftRight<8>(pairs)
                                 : hn::ShiftRight<12>(pairs);
    return hn::TableLookupLanes(hn::Load(D16(), table.values),
                                hn::Indices512<uint16_t>{nibble.raw});
  }
};

}  // namespace cedar::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // CEDAR_BF16_DOTS

#endif  // include guard
