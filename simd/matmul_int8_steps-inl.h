// One step of matrix products of FP4 weights and int8 activations: its weights as bytes, and what
// it adds to the sums of matmul_int8-inl.h. Included once for each Highway target, by kernel files
// only.

#if defined(CEDAR_SIMD_MATMUL_INT8_STEPS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef CEDAR_SIMD_MATMUL_INT8_STEPS_INL_H_
#undef CEDAR_SIMD_MATMUL_INT8_STEPS_INL_H_
#else
#define CEDAR_SIMD_MATMUL_INT8_STEPS_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "simd/byte_dots-inl.h"
#include "simd/matmul_int8_pack-inl.h"

HWY_BEFORE_NAMESPACE();
namespace cedar::simd::HWY_NAMESPACE {

// Bytes of 2 * weight + kWeightOffset for each code, four times over.
struct TwiceE2m1 {
  alignas(64) uint8_t bytes[64] = {};
  constexpr TwiceE2m1() {
    constexpr int kTwice[8] = {0, 1, 2, 3, 4, 6, 8, 12};
    for (int i = 0; i < 64; ++i) {
      const int value = i & 8 ? -kTwice[i & 7] : kTwice[i & 7];
      bytes[i] = static_cast<uint8_t>(value + kWeightOffset);
    }
  }
};
inline constexpr TwiceE2m1 kTwiceE2m1;

#if !HWY_HAVE_SCALABLE && !HWY_TARGET_IS_SVE

using WeightVector8 = hn::Vec<DWeight>;

// ---- decoding -----------------------------------------------------------------------------------

// The bytes of a step's codes, or the first `count` of them and zeros.
struct WholeStep {
  hn::Vec<D8> Codes(const uint8_t* p, size_t load) const {
    return hn::LoadU(D8(), p + load * kLaneBytes);
  }
  template <class D>
  hn::Vec<D> Scales(D d, const uint8_t* p) const {
    return hn::LoadU(d, p);
  }
};
struct PartOfStep {
  size_t blocks;
  hn::Vec<D8> Codes(const uint8_t* p, size_t load) const {
    const size_t bytes = blocks * (kScaleBlock / 2), first = load * kLaneBytes;
    return hn::LoadN(D8(), p + first, bytes > first ? std::min(bytes - first, kLaneBytes) : 0);
  }
  template <class D>
  hn::Vec<D> Scales(D d, const uint8_t* p) const {
    return hn::LoadN(d, p, blocks);
  }
};

// A step's weights as bytes, and their scales.
struct DecodedStep {
  HWY_INLINE DecodedStep() {}  // g++ would make one for CPUs without these vectors
  WeightVector8 weights[kDotVectors];
  VF scales;
};

HWY_INLINE WeightVector8 LookUp(hn::Vec<D8> codes) {
  const D8 d;
#if HWY_TARGET <= HWY_AVX3_DL && HWY_ARCH_X86
  // Reads the lower 6 bits only, and the table holds everything four times.
  return hn::TableLookupLanes(hn::Load(d, kTwiceE2m1.bytes), hn::Indices512<uint8_t>{codes.raw});
#else
  const auto table = hn::LoadDup128(d, kTwiceE2m1.bytes);
  return hn::BitCast(DWeight(), hn::TableLookupBytes(table, hn::And(codes, hn::Set(d, 15))));
#endif
}

// Puts word j of the block of lane l into lane l of words[j].
HWY_INLINE void TurnWords(hn::Vec<D8> (&codes)[4], hn::Vec<D8> (&words)[4]) {
  const D32 d;
  const hn::Repartition<uint64_t, D32> d64;
  const auto r0 = hn::BitCast(d, codes[0]), r1 = hn::BitCast(d, codes[1]);
  const auto r2 = hn::BitCast(d, codes[2]), r3 = hn::BitCast(d, codes[3]);
  const auto low01 = hn::BitCast(d64, hn::InterleaveLower(d, r0, r1));
  const auto low23 = hn::BitCast(d64, hn::InterleaveLower(d, r2, r3));
  const auto high01 = hn::BitCast(d64, hn::InterleaveUpper(d, r0, r1));
  const auto high23 = hn::BitCast(d64, hn::InterleaveUpper(d, r2, r3));
  words[0] = hn::BitCast(D8(), hn::InterleaveLower(d64, low01, low23));
  words[1] = hn::BitCast(D8(), hn::InterleaveUpper(d64, low01, low23));
  words[2] = hn::BitCast(D8(), hn::InterleaveLower(d64, high01, high23));
  words[3] = hn::BitCast(D8(), hn::InterleaveUpper(d64, high01, high23));
}

// Byte l: where the scale of lane l's block is.
struct ScaleOrder {
  alignas(16) uint8_t bytes[16] = {};
  constexpr ScaleOrder() {
    for (size_t l = 0; l < kStepBlocks; ++l) bytes[l] = static_cast<uint8_t>(BlockOfLane(l));
  }
};
inline constexpr ScaleOrder kScaleOrder;

template <class Step>
HWY_INLINE VF DecodeScales(const uint8_t* scales, const Step& step) {
  const hn::Rebind<uint8_t, DF> d8;
  auto codes = step.Scales(d8, scales);
  if constexpr (kStepBlocks > 4) {
    codes = hn::TableLookupBytes(codes, hn::LoadU(d8, kScaleOrder.bytes));
  }
  // Code 0 is 2^-127, half the smallest normal number.
  const auto bits = hn::ShiftLeft<23>(hn::PromoteTo(D32(), codes));
  return hn::BitCast(DF(), hn::Max(bits, hn::Set(D32(), 0x00400000)));
}

template <class Step>
HWY_INLINE void DecodeInt8Step(const uint8_t* weights, const uint8_t* scales, const Step& step,
                               DecodedStep& out) {
  const hn::Repartition<uint16_t, D8> d16;
  hn::Vec<D8> codes[4], words[4];
  HWY_UNROLL(4)
  for (size_t i = 0; i < 4; ++i) codes[i] = step.Codes(weights, i);
  TurnWords(codes, words);
  HWY_UNROLL(4)
  for (size_t j = 0; j < 4; ++j) {
    out.weights[j] = LookUp(words[j]);
    const auto upper = hn::ShiftRight<4>(hn::BitCast(d16, words[j]));
    out.weights[4 + j] = LookUp(hn::BitCast(D8(), upper));
  }
  out.scales = DecodeScales(scales, step);
}

// ---- arithmetic ---------------------------------------------------------------------------------

HWY_INLINE VF LoadPackedScales(const uint8_t* step) {
  return hn::Load(DF(), reinterpret_cast<const float*>(step + kScaleAt));
}

// What Dots() takes from memory: loaded once, for all that meets it.
template <class V>
HWY_INLINE V ForPairs(V v) {
  return HWY_TARGET == HWY_AVX2 ? Kept(v) : v;
}

// The products of one step of kRows x kTokens elements, without the weights' scales: weight(r, v);
// x[m]: the packed step of token m.
template <size_t kRows, size_t kTokens, class Weight>
HWY_INLINE void Int8Products(const Weight& weight, const uint8_t* const (&x)[kTokens],
                             VF (&products)[kRows][kTokens]) {
  const auto activation = [&](size_t m, size_t v) HWY_ATTR {
    return ForPairs(hn::Load(DI8(), reinterpret_cast<const int8_t*>(x[m]) + v * kLaneBytes));
  };
  const auto start = [&](size_t m) HWY_ATTR {
    return hn::BitCast(DStart(), hn::Load(D8(), x[m] + kStartAt));
  };
  hn::Vec<DI32> dots[kRows][kTokens];
  Dots<kRows, kTokens>(weight, activation, start, dots);
  HWY_UNROLL(8)
  for (size_t m = 0; m < kTokens; ++m) {
    const auto x_scale = LoadPackedScales(x[m]);
    HWY_UNROLL(8)
    for (size_t r = 0; r < kRows; ++r) {
      products[r][m] = hn::Mul(hn::ConvertTo(DF(), dots[r][m]), x_scale);
    }
  }
}

// One step of kRows x kTokens elements: scale(r) has the scales of row r's weights.
template <size_t kRows, size_t kTokens, class Weight, class Scale>
HWY_INLINE void AddInt8Step(const Weight& weight, const Scale& scale,
                            const uint8_t* const (&x)[kTokens], VF (&sum)[kRows][kTokens]) {
  VF products[kRows][kTokens];
  Int8Products<kRows, kTokens>(weight, x, products);
  HWY_UNROLL(8)
  for (size_t m = 0; m < kTokens; ++m) {
    HWY_UNROLL(8)
    for (size_t r = 0; r < kRows; ++r) {
      sum[r][m] = hn::MulAdd(products[r][m], scale(r), sum[r][m]);
    }
  }
}

// The half of a vector that belongs to the first or the second row of a pair, and zeros.
template <class V>
HWY_INLINE V HalfOfPair(V v, size_t row) {
  const hn::DFromV<V> d;
  const hn::Repartition<uint64_t, decltype(d)> d64;
  const auto both = hn::BitCast(d64, v), zero = hn::Zero(d64);
  return hn::BitCast(
      d, row == 0 ? hn::InterleaveLower(d64, both, zero) : hn::InterleaveUpper(d64, both, zero));
}

// The same for the half step of kRows / 2 pairs of rows: weight(p, v), scale(p) of pair p.
template <size_t kRows, size_t kTokens, class Weight, class Scale>
HWY_INLINE void AddInt8HalfStep(const Weight& weight, const Scale& scale,
                                const uint8_t* const (&x)[kTokens], VF (&sum)[kRows][kTokens]) {
  VF products[kRows / 2][kTokens];
  Int8Products<kRows / 2, kTokens>(weight, x, products);
  HWY_UNROLL(8)
  for (size_t m = 0; m < kTokens; ++m) {
    HWY_UNROLL(8)
    for (size_t r = 0; r < kRows; ++r) {
      sum[r][m] = hn::MulAdd(HalfOfPair(products[r / 2][m], r % 2), HalfOfPair(scale(r / 2), r % 2),
                             sum[r][m]);
    }
  }
}

// Half of the sums of the lanes of four elements, whose weights were doubled.
HWY_INLINE void SumLanes(VF a, VF b, VF c, VF d, float (&out)[4]) {
  const hn::FixedTag<float, 4> four;
  hn::StoreU(hn::Mul(AddLanes(a, b, c, d), hn::Set(four, 0.5f)), four, out);
}

#endif  // !HWY_HAVE_SCALABLE && !HWY_TARGET_IS_SVE

}  // namespace cedar::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // include guard
