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

// Stops the compiler from loading the same weights once for each use.
HWY_INLINE hn::Vec<D8> KeepInRegister(hn::Vec<D8> v) {
  asm("" : "+v"(v.raw));
  return v;
}

// What a step needs of scales in each lane, from `kCodes` codes, 4 or 8: the code in the exponent
// of an fp32, and of both its bf16 halves.
template <size_t kCodes>
HWY_INLINE hn::Vec<D16> SpreadCodes(const uint8_t* s, const uint8_t* order) {
  using Codes = std::conditional_t<kCodes == 4, uint32_t, uint64_t>;
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
  using Activations = uint16_t;

  static HWY_INLINE CEDAR_FIXED_CONSTEXPR size_t Vectors() { return 1; }
  static HWY_INLINE VB Read(const uint8_t* w) { return hn::BitCast(DB(), LoadBytes(w)); }
  static HWY_INLINE VB Weight(VB read, size_t) { return read; }
  static HWY_INLINE VB Activation(const uint8_t* x, size_t) { return Read(x); }
  static HWY_INLINE size_t Channel(size_t, size_t lane) { return lane; }
};

// 256 codes, laid out so that no lane holds channels of two scales: then one multiplication with
// the scales is enough for all eight dot products of a step. To that end the dwords of four
// neighbouring vectors are transposed: lane 4 j + i of dword[k] is dword k of part j (16 bytes) of
// load i. Of a transposed vector even bytes make one vector of bf16 and odd bytes the next.
struct Fp8Weights {
  static constexpr size_t kStep = 256, kStepBytes = 256, kActivationBytes = 512;
  static constexpr bool kScaled = true, kPlain = false;
  static constexpr size_t kGroup = 1;
  using Activations = uint16_t;

  struct Transposed {
    hn::Vec<D32> dword[4];
  };

  static HWY_INLINE CEDAR_FIXED_CONSTEXPR size_t Vectors() { return 8; }
  static HWY_INLINE Transposed Read(const uint8_t* w) {
    const hn::Repartition<uint64_t, DF> d64;
    const auto load = [w](size_t i) HWY_ATTR {
      return hn::BitCast(D32(), KeepInRegister(LoadBytes(w + 64 * i)));
    };
    const auto a = load(0), b = load(1), c = load(2), d = load(3);
    const auto ab = hn::BitCast(d64, hn::InterleaveLower(D32(), a, b));
    const auto cd = hn::BitCast(d64, hn::InterleaveLower(D32(), c, d));
    const auto ab2 = hn::BitCast(d64, hn::InterleaveUpper(D32(), a, b));
    const auto cd2 = hn::BitCast(d64, hn::InterleaveUpper(D32(), c, d));
    return {{hn::BitCast(D32(), hn::InterleaveLower(d64, ab, cd)),
             hn::BitCast(D32(), hn::InterleaveUpper(d64, ab, cd)),
             hn::BitCast(D32(), hn::InterleaveLower(d64, ab2, cd2)),
             hn::BitCast(D32(), hn::InterleaveUpper(d64, ab2, cd2))}};
  }
  static HWY_INLINE VB Weight(const Transposed& read, size_t q) {
    const auto codes = hn::BitCast(D8(), read.dword[q / 2]);
    const auto high = hn::OrAnd(Lookup(kE4m3High, codes), codes, hn::Set(D8(), 0x80));
    return hn::BitCast(DB(), Words(Lookup(kE4m3Low, codes), high, q % 2));
  }
  static HWY_INLINE VB Activation(const uint8_t* x, size_t q) {
    return hn::BitCast(DB(), LoadBytes(x + 64 * q));
  }
  static HWY_INLINE VF Scale(const uint8_t* s) { return LaneScales<8>(s); }
  static HWY_INLINE size_t Channel(size_t q, size_t lane) {
    const size_t dword = lane / 2, byte = 2 * (lane % 2) + q % 2;
    return 64 * (dword % 4) + 16 * (dword / 4) + 4 * (q / 2) + byte;
  }

  // The tables hold everything times 2^127, without sign, so that a step down leaves a zero what it
  // is; what falls below 2^-126 becomes zero or a subnormal, which the dot product takes for zero.
  static HWY_INLINE Transposed TileRead(const uint8_t* w) { return Read(w); }
  static HWY_INLINE hn::Vec<D16> TileScale(const uint8_t* s) {
    return hn::Sub(hn::Set(D16(), 254 << 7), LaneExponents<8>(s));
  }
  static HWY_INLINE VB Scaled(const Transposed& read, hn::Vec<D16> down, size_t q) {
    const auto codes = hn::BitCast(D8(), read.dword[q / 2]);
    const auto up = Words(Lookup(kHighE4m3Low, codes), Lookup(kHighE4m3High, codes), q % 2);
    const auto words = hn::BitCast(D16(), codes);
    const auto sign = q % 2 == 0 ? hn::ShiftLeft<8>(words) : words;
    return hn::BitCast(DB(), hn::OrAnd(hn::SaturatedSub(up, down), sign, hn::Set(D16(), 0x8000)));
  }

 private:
  // The even (or odd) bytes of both as 16-bit lanes.
  static HWY_INLINE hn::Vec<D16> Words(hn::Vec<D8> low, hn::Vec<D8> high, size_t odd) {
    const auto l = hn::BitCast(D16(), low), h = hn::BitCast(D16(), high);
    const auto upper = hn::Set(D16(), 0xFF00);
    return odd == 0 ? hn::BitwiseIfThenElse(upper, hn::ShiftLeft<8>(h), l)
                    : hn::BitwiseIfThenElse(upper, h, hn::ShiftRight<8>(l));
  }
  // The lookup reads the lower 7 bits only, which Highway's IndicesFromVec would not let pass.
  static HWY_INLINE hn::Vec<D8> Lookup(const ByteTable<128>& table, hn::Vec<D8> codes) {
    return hn::TwoTablesLookupLanes(D8(), LoadBytes(table.bytes), LoadBytes(table.bytes + 64),
                                    hn::Indices512<uint8_t>{codes.raw});
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
    return hn::BitCast(D16(), KeepInRegister(LoadBytes(w)));
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
  static HWY_INLINE VF GroupScales(const uint8_t* s) {
    const auto codes = hn::PromoteTo(D32(), hn::LoadU(hn::Rebind<uint8_t, DF>(), s));
    return ScaleOf(hn::ShiftLeft<23>(codes));
  }
  static HWY_INLINE VF GroupScale(VF scales, size_t step) {
    return hn::TableLookupLanes(scales, hn::SetTableIndices(DF(), kGroupLanes[step].values));
  }

  static HWY_INLINE hn::Vec<D16> TileRead(const uint8_t* w) { return Read(w); }
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
