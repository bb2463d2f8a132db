// Packed window rows and compressed rows (simd/formats.h) as vectors of fp32. Included once for
// each Highway target, by kernel files only.

#if defined(CEDAR_SIMD_KV_ROWS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef CEDAR_SIMD_KV_ROWS_INL_H_
#undef CEDAR_SIMD_KV_ROWS_INL_H_
#else
#define CEDAR_SIMD_KV_ROWS_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "simd/formats.h"
#include "simd/quantise-inl.h"

HWY_BEFORE_NAMESPACE();
namespace cedar::simd::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// At most one block of a compressed row to a vector, so that a vector has one scale.
using RowTag = hn::CappedTag<float, kCompressedBlock>;
using RowVector = hn::Vec<RowTag>;

// E4M3 codes of consecutive channels -> their values / 256, exactly: moved up by 7 bits, a code is
// an fp16 whose exponent is 8 too small.
HWY_INLINE RowVector LoadE4m3Over256(const uint8_t* codes) {
  const hn::Rebind<int8_t, RowTag> d8;
  const hn::Rebind<int16_t, RowTag> d16;
  const auto wide = hn::PromoteTo(d16, hn::LoadU(d8, reinterpret_cast<const int8_t*>(codes)));
  // The sign has come twice: into its place and into the exponent's highest bit.
  const auto half = hn::And(hn::ShiftLeft<7>(wide), hn::Set(d16, static_cast<int16_t>(0xBF80)));
  return hn::PromoteTo(RowTag(), hn::BitCast(hn::Rebind<hwy::float16_t, RowTag>(), half));
}

// 2^(code - 127), exactly; NaN does not occur.
HWY_INLINE float Ue8m0Value(uint8_t code) {
  return std::bit_cast<float>(code == 0 ? 0x400000u : static_cast<uint32_t>(code) << 23);
}

// Row of n channels: store(c, v0, v1) for each two vectors of values, the first of which begins at
// channel c.
template <class Store>
HWY_INLINE void DecodeWindowRow(const uint8_t* row, size_t n, const Store& store) {
  const RowTag d;
  for (size_t block = 0; block < n / kScaleBlock; ++block) {
    const auto scale = hn::Set(d, Ue8m0Value(row[n + block]));
    const auto step = hn::Set(d, 256.0f);  // apart from the scale: together they may overflow
    for (size_t i = 0; i < kScaleBlock; i += 2 * hn::Lanes(d)) {
      const size_t c = block * kScaleBlock + i;
      const auto v0 = hn::Mul(LoadE4m3Over256(row + c), step);
      const auto v1 = hn::Mul(LoadE4m3Over256(row + c + hn::Lanes(d)), step);
      store(c, hn::Mul(v0, scale), hn::Mul(v1, scale));
    }
  }
}

// Twice the values of 32 E2M1 codes: small integers.
HWY_INLINE void DoubledE2m1(const uint8_t* pairs, int8_t* HWY_RESTRICT out) {
  const hn::FixedTag<uint8_t, 16> d;
  const hn::FixedTag<int8_t, 16> di;
  alignas(16) static constexpr int8_t kDoubled[16] = {0, 1,  2,  3,  4,  6,  8,  12,
                                                      0, -1, -2, -3, -4, -6, -8, -12};
  const auto table = hn::Load(di, kDoubled);
  const auto both = hn::LoadU(d, pairs);
  const auto even = hn::TableLookupBytes(table, hn::And(both, hn::Set(d, 15)));
  const auto odd = hn::TableLookupBytes(table, hn::ShiftRight<4>(both));
  hn::Store(hn::BitCast(di, hn::InterleaveLower(d, hn::BitCast(d, even), hn::BitCast(d, odd))), di,
            out);
  hn::Store(hn::BitCast(di, hn::InterleaveUpper(d, hn::BitCast(d, even), hn::BitCast(d, odd))), di,
            out + 16);
}

// Halves of the values of `count` <= 16 E4M3 codes.
HWY_INLINE void HalvedE4m3(const uint8_t* codes, size_t count, float* HWY_RESTRICT out) {
  const RowTag d;
  alignas(16) uint8_t padded[16] = {};
  std::copy_n(codes, count, padded);
  for (size_t i = 0; i < 16; i += hn::Lanes(d)) {
    hn::Store(hn::Mul(LoadE4m3Over256(padded + i), hn::Set(d, 128.0f)), d, out + i);
  }
}

// As DecodeWindowRow.
template <class Store>
HWY_INLINE void DecodeCompressedRow(const uint8_t* row, size_t n, const Store& store) {
  const RowTag d;
  const hn::Rebind<int8_t, RowTag> d8;
  const hn::Rebind<int32_t, RowTag> d32;
  constexpr size_t kChunk = 16 * kCompressedBlock;  // channels whose scales are decoded together
  HWY_ALIGN float scales[16];
  HWY_ALIGN int8_t values[32];
  for (size_t c = 0; c < n; c += 32) {
    if (c % kChunk == 0) {
      const size_t first = c / kCompressedBlock;
      const size_t count = std::min<size_t>(16, n / kCompressedBlock - first);
      HalvedE4m3(row + n / 2 + first, count, scales);
    }
    DoubledE2m1(row + c / 2, values);
    const auto load = [&](size_t i) HWY_ATTR {
      const auto scale = hn::Set(d, scales[(c + i) % kChunk / kCompressedBlock]);
      const auto doubled = hn::ConvertTo(d, hn::PromoteTo(d32, hn::LoadU(d8, values + i)));
      return hn::Mul(doubled, scale);
    };
    for (size_t i = 0; i < 32; i += 2 * hn::Lanes(d)) {
      store(c + i, load(i), load(i + hn::Lanes(d)));
    }
  }
}

}  // namespace cedar::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // include guard
