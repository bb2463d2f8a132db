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
//
// and for a decoded copy (matmul_tiles-inl.h), if there are scales:
//
//   TileRead(w)             the step at w, as Scaled() wants it
//   TileScale(s)            its scales, likewise
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

#include "simd/decode_tables.h"
#include "simd/matrix.h"

#undef CEDAR_BF16_DOTS
#if HWY_TARGET == HWY_AVX3_ZEN4
#define CEDAR_BF16_DOTS 1
#else
#define CEDAR_BF16_DOTS 0
#endif

// What depends on the number of lanes is a constant but for scalable vectors.
#undef CEDAR_FIXED_CONSTEXPR
#if HWY_HAVE_SCALABLE
#define CEDAR_FIXED_CONSTEXPR
#else
#define CEDAR_FIXED_CONSTEXPR constexpr
#endif

HWY_BEFORE_NAMESPACE();
namespace cedar::simd::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Vectors of at most 64 bytes, as lanes of each type.
using DF = hn::CappedTag<float, 16>;
using D32 = hn::RebindToUnsigned<DF>;
using D16 = hn::Repartition<uint16_t, DF>;
using D8 = hn::Repartition<uint8_t, DF>;
using DB = hn::Repartition<hwy::bfloat16_t, DF>;
using VF = hn::Vec<DF>;
using VB = hn::Vec<DB>;

HWY_INLINE CEDAR_FIXED_CONSTEXPR size_t FloatLanes() { return hn::Lanes(DF()); }
HWY_INLINE hn::Vec<D8> LoadBytes(const uint8_t* p) { return hn::LoadU(D8(), p); }

// sum + the products of w and x.
HWY_INLINE VF AddProducts(VF w, VF x, VF sum) { return hn::MulAdd(w, x, sum); }

// The bf16 at `p`, one to a 32-bit lane.
HWY_INLINE VF LoadBf16Lanes(const uint16_t* p) {
  const auto bits = hn::PromoteTo(D32(), hn::LoadU(hn::Rebind<uint16_t, DF>(), p));
  return hn::BitCast(DF(), hn::ShiftLeft<16>(bits));
}

// ---- fp32 weights: activations stay bf16, in their own order ------------------------------------

struct F32Weights {
  static constexpr size_t kStep = 32, kStepBytes = 128, kActivationBytes = 64;
  static constexpr bool kScaled = false, kPlain = true;
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

#if CEDAR_BF16_DOTS

// ---- bf16 dot products --------------------------------------------------------------------------

HWY_INLINE VF AddProducts(VB w, VB x, VF sum) {
  VF unused = hn::Zero(DF());
  return hn::ReorderWidenMulAccumulate(DF(), w, x, sum, unused);
}

// fp32 lanes of UE8M0 scales: lane l gets the code in byte l / kLanesPerCode of `codes`.
template <size_t kLanesPerCode>
HWY_INLINE VF SpreadScales(uint32_t codes) {
  // Turns each lane until its code lies where the exponent of an fp32 does.
  const auto turns = hn::Load(D32(), kExponentTurns<kLanesPerCode>.values);
  const auto turned = hn::Rol(hn::Set(D32(), codes), turns);
  const auto bits = hn::And(turned, hn::Set(D32(), 0x7F800000));
  return hn::BitCast(DF(), hn::Max(bits, hn::Set(D32(), kSmallestScaleBits)));
}

// The same in the exponents of bf16 lanes, two for each of those lanes.
template <size_t kLanesPerCode>
HWY_INLINE hn::Vec<D16> SpreadExponents(uint32_t codes) {
  const auto order = hn::Load(D8(), kSpread<kLanesPerCode>.bytes);
  const auto code = hn::TableLookupBytesOr0(hn::BitCast(D8(), hn::Set(D32(), codes)), order);
  return hn::ShiftLeft<7>(hn::BitCast(D16(), code));
}

struct Bf16Weights {
  static constexpr size_t kStep = 32, kStepBytes = 64, kActivationBytes = 64;
  static constexpr bool kScaled = false, kPlain = true;
  using Activations = uint16_t;

  static HWY_INLINE CEDAR_FIXED_CONSTEXPR size_t Vectors() { return 1; }
  static HWY_INLINE VB Read(const uint8_t* w) { return hn::BitCast(DB(), LoadBytes(w)); }
  static HWY_INLINE VB Weight(VB read, size_t) { return read; }
  static HWY_INLINE VB Activation(const uint8_t* x, size_t) { return Read(x); }
  static HWY_INLINE size_t Channel(size_t, size_t lane) { return lane; }
};

// 64 codes: byte lookups of the bf16's two halves, then interleaved.
struct Fp8Weights {
  static constexpr size_t kStep = 64, kStepBytes = 64, kActivationBytes = 128;
  static constexpr bool kScaled = true, kPlain = false;
  using Activations = uint16_t;

  static HWY_INLINE CEDAR_FIXED_CONSTEXPR size_t Vectors() { return 2; }
  struct Halves {
    hn::Vec<D8> low, high;
    hn::Vec<D8> codes;
  };
  static HWY_INLINE Halves Read(const uint8_t* w) {
    const auto codes = LoadBytes(w);
    return {Lookup(kE4m3Low, codes), Lookup(kE4m3High, codes), codes};
  }
  static HWY_INLINE VB Weight(const Halves& read, size_t q) {
    const auto high = hn::OrAnd(read.high, read.codes, hn::Set(D8(), 0x80));
    return hn::BitCast(DB(), Interleave(read.low, high, q));
  }
  static HWY_INLINE VB Activation(const uint8_t* x, size_t q) {
    return hn::BitCast(DB(), LoadBytes(x + 64 * q));
  }
  static HWY_INLINE VF Scale(const uint8_t* s) {
    uint16_t codes;
    std::memcpy(&codes, s, sizeof(codes));
    return SpreadScales<8>(codes);
  }
  static HWY_INLINE size_t Channel(size_t q, size_t lane) {
    return 16 * (lane / 8) + 8 * q + lane % 8;
  }

  // The tables hold everything times 2^127, without sign, so that a step down leaves a zero what it
  // is; what falls below 2^-126 becomes zero or a subnormal, which the dot product takes for zero.
  static HWY_INLINE Halves TileRead(const uint8_t* w) {
    const auto codes = LoadBytes(w);
    return {Lookup(kHighE4m3Low, codes), Lookup(kHighE4m3High, codes), codes};
  }
  static HWY_INLINE hn::Vec<D16> TileScale(const uint8_t* s) {
    uint16_t codes;
    std::memcpy(&codes, s, sizeof(codes));
    return hn::Sub(hn::Set(D16(), 254 << 7), SpreadExponents<8>(codes));
  }
  static HWY_INLINE VB Scaled(const Halves& read, hn::Vec<D16> down, size_t q) {
    const auto up = hn::BitCast(D16(), Interleave(read.low, read.high, q));
    const auto sign = hn::BitCast(D16(), Interleave(hn::Zero(D8()), read.codes, q));
    return hn::BitCast(DB(), hn::OrAnd(hn::SaturatedSub(up, down), sign, hn::Set(D16(), 0x8000)));
  }

 private:
  static HWY_INLINE hn::Vec<D8> Interleave(hn::Vec<D8> low, hn::Vec<D8> high, size_t q) {
    return q == 0 ? hn::InterleaveLower(D8(), low, high) : hn::InterleaveUpper(D8(), low, high);
  }
  // The lookup reads the lower 7 bits only, which Highway's IndicesFromVec would not let pass.
  static HWY_INLINE hn::Vec<D8> Lookup(const ByteTable<128>& table, hn::Vec<D8> codes) {
    return hn::TwoTablesLookupLanes(D8(), LoadBytes(table.bytes), LoadBytes(table.bytes + 64),
                                    hn::Indices512<uint8_t>{codes.raw});
  }
};

// 128 codes: each of the four nibbles of a 16-bit lane is shifted down and looked up as a bf16.
struct Fp4Weights {
  static constexpr size_t kStep = 128, kStepBytes = 64, kActivationBytes = 256;
  static constexpr bool kScaled = true, kPlain = false;
  using Activations = uint16_t;

  static HWY_INLINE CEDAR_FIXED_CONSTEXPR size_t Vectors() { return 4; }
  static HWY_INLINE hn::Vec<D16> Read(const uint8_t* w) { return hn::BitCast(D16(), LoadBytes(w)); }
  static HWY_INLINE VB Weight(hn::Vec<D16> pairs, size_t q) {
    return hn::BitCast(DB(), Lookup(kE2m1Bf16Twice, pairs, q));
  }
  static HWY_INLINE VB Activation(const uint8_t* x, size_t q) {
    return hn::BitCast(DB(), LoadBytes(x + 64 * q));
  }
  static HWY_INLINE VF Scale(const uint8_t* s) {
    uint32_t codes;
    std::memcpy(&codes, s, sizeof(codes));
    return SpreadScales<4>(codes);
  }
  static HWY_INLINE size_t Channel(size_t q, size_t lane) { return 4 * lane + q; }

  static HWY_INLINE hn::Vec<D16> TileRead(const uint8_t* w) { return Read(w); }
  static HWY_INLINE hn::Vec<D16> TileScale(const uint8_t* s) {
    uint32_t codes;
    std::memcpy(&codes, s, sizeof(codes));
    const auto up = hn::Max(SpreadExponents<4>(codes), hn::Set(D16(), 1 << 7));
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

#else

// ---- fp32 ---------------------------------------------------------------------------------------
//
// A step is one block of 32 channels, so its scale is the same for all lanes.

// bf16: the even channels of a vector are its 32-bit lanes shifted up, the odd ones what is above.
struct Bf16Weights {
  static constexpr size_t kStep = 32, kStepBytes = 64, kActivationBytes = 64;
  static constexpr bool kScaled = false, kPlain = true;
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
  static constexpr size_t kStep = 32, kActivationBytes = 128;
  static constexpr bool kScaled = true, kPlain = false;
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
#endif  // CEDAR_BF16_DOTS

// ---- decoded copies -----------------------------------------------------------------------------

// The type of a decoder's lanes: fp32 or bf16 (as uint16_t).
template <class W>
using WeightVector = decltype(W::Weight(W::Read(nullptr), 0));
template <class W>
using TileElement = std::conditional_t<std::is_same_v<WeightVector<W>, VF>, float, uint16_t>;

// ---- the decoder of a format --------------------------------------------------------------------

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
