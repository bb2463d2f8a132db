// Packed index keys and queries (simd/formats.h) as small integers, laid out for dot products of
// blocks of 32. Included once for each Highway target, by kernel files only.
//
// Doubled, E2M1 values are the integers -12..12, so a product of two blocks is a sum of 32 integer
// products, a quarter of which times the two scales is the exact dot product. It is computed four
// channels at a time: a word holds four integers, and a block of 32 channels is eight words. The
// word order within a block follows the packed bytes: 4 even channels, then the 4 odd ones between.

#if defined(CEDAR_SIMD_INDEX_KEYS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef CEDAR_SIMD_INDEX_KEYS_INL_H_
#undef CEDAR_SIMD_INDEX_KEYS_INL_H_
#else
#define CEDAR_SIMD_INDEX_KEYS_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "simd/formats.h"
#include "simd/transpose-inl.h"

HWY_BEFORE_NAMESPACE();
namespace cedar::simd::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

constexpr size_t kBlockWords = kScaleBlock / 4;
constexpr size_t kBlockBytes = kScaleBlock / 2;  // packed

// A key to a lane.
using KeyTag = hn::CappedTag<float, 16>;
using KeyWords = hn::RebindToUnsigned<KeyTag>;
using KeySums = hn::RebindToSigned<KeyTag>;
using QueryBytes = hn::Repartition<int8_t, KeyTag>;
using KeyVector = hn::Vec<KeyTag>;

// Keys are computed in groups of two vectors.
HWY_INLINE size_t GroupKeys() { return 2 * hn::Lanes(KeyTag()); }

// x86 multiplies unsigned by signed bytes: there keys are made positive by adding this, and each
// sum begins with what that adds too much.
#if HWY_ARCH_X86
using KeyBytes = hn::Repartition<uint8_t, KeyTag>;
constexpr int kKeyBias = 12;
#else
using KeyBytes = QueryBytes;
constexpr int kKeyBias = 0;
#endif

// Twice the value of each E2M1 code, plus bias.
struct E2m1Table {
  explicit constexpr E2m1Table(int bias) : bytes() {
    constexpr int kDoubled[8] = {0, 1, 2, 3, 4, 6, 8, 12};
    for (int i = 0; i < 8; ++i) {
      bytes[i] = static_cast<int8_t>(bias + kDoubled[i]);
      bytes[8 + i] = static_cast<int8_t>(bias - kDoubled[i]);
    }
  }
  alignas(16) int8_t bytes[16];
};

// ---- queries
// -------------------------------------------------------------------------------------

// One packed row: words [dim / 4], and for each block the factor of its integer sums and where
// those begin.
struct QueryRow {
  uint32_t* words;
  float* factors;
  int32_t* begins;
};

inline void UnpackQuery(const uint8_t* row, size_t dim, const QueryRow& out) {
  static constexpr E2m1Table kTable(0);
  const hn::FixedTag<uint8_t, 16> d;
  const hn::FixedTag<int8_t, 16> d8;
  const hn::FixedTag<uint32_t, 4> d32;
  const hn::FixedTag<int32_t, 4> di32;
  const auto table = hn::Load(d8, kTable.bytes);
  for (size_t block = 0; block < dim / kScaleBlock; ++block) {
    const auto pairs = hn::LoadU(d, row + block * kBlockBytes);
    const auto even = hn::TableLookupBytes(table, hn::And(pairs, hn::Set(d, 15)));
    const auto odd = hn::TableLookupBytes(table, hn::ShiftRight<4>(pairs));
    const auto even32 = hn::BitCast(d32, even), odd32 = hn::BitCast(d32, odd);
    hn::Store(hn::InterleaveLower(d32, even32, odd32), d32, out.words + block * kBlockWords);
    hn::Store(hn::InterleaveUpper(d32, even32, odd32), d32, out.words + block * kBlockWords + 4);
    const auto ones = hn::Set(d, 1);
    auto sums = hn::SumOfMulQuadAccumulate(di32, ones, hn::BitCast(d8, even), hn::Zero(di32));
    sums = hn::SumOfMulQuadAccumulate(di32, ones, hn::BitCast(d8, odd), sums);
    out.begins[block] = -kKeyBias * hn::ReduceSum(di32, sums);
    out.factors[block] = DecodeUe8m0(row[dim / 2 + block]) / 4;
  }
}

// ---- keys
// ----------------------------------------------------------------------------------------

// A group of keys: words [block][kBlockWords][GroupKeys()], scales [block][GroupKeys()].
struct KeyGroup {
  uint32_t* words;
  float* scales;
};

// Block `block` of the keys at `rows` -> out[packed word][GroupKeys()].
template <class Rows>
HWY_INLINE void TransposeBlock(const Rows& rows, size_t block, uint32_t* out) {
  const hn::FixedTag<uint8_t, 16> d8;
  const hn::FixedTag<uint32_t, 4> d32;
  const auto load = [&](size_t key) HWY_ATTR {
    return hn::BitCast(d32, hn::LoadU(d8, rows(key) + block * kBlockBytes));
  };
  for (size_t key = 0; key < GroupKeys(); key += 4) {
    StoreTransposed4x4(load(key), load(key + 1), load(key + 2), load(key + 3), out + key,
                       GroupKeys());
  }
}

// Packed words of a vector of keys -> their even and odd channels.
HWY_INLINE void UnpackWords(const uint32_t* packed, uint32_t* even, uint32_t* odd) {
  static constexpr E2m1Table kTable(kKeyBias);
  const KeyWords d;
  const hn::Repartition<int8_t, KeyTag> d8;
  const auto table = hn::LoadDup128(d8, kTable.bytes);
  const auto words = hn::Load(d, packed);
  const auto nibble = hn::Set(d, 0x0F0F0F0F);
  const auto low = hn::BitCast(d8, hn::And(words, nibble));
  const auto high = hn::BitCast(d8, hn::And(hn::ShiftRight<4>(words), nibble));
  hn::Store(hn::BitCast(d, hn::TableLookupBytes(table, low)), d, even);
  hn::Store(hn::BitCast(d, hn::TableLookupBytes(table, high)), d, odd);
}

// Scales of up to four blocks of all keys, whose codes begin at `offset` of each row.
template <class Rows>
HWY_INLINE void UnpackScales(const Rows& rows, size_t offset, size_t blocks, float* out) {
  const KeyTag d;
  const KeyWords du;
  HWY_ALIGN uint32_t codes[32] = {};
  for (size_t key = 0; key < GroupKeys(); ++key) {
    if (blocks == 4) {
      hwy::CopyBytes<4>(rows(key) + offset, &codes[key]);
    } else {
      hwy::CopyBytes(rows(key) + offset, &codes[key], blocks);
    }
  }
  for (size_t key = 0; key < GroupKeys(); key += hn::Lanes(d)) {
    auto code = hn::Load(du, codes + key);
    for (size_t block = 0; block < blocks; ++block, code = hn::ShiftRight<8>(code)) {
      const auto bits = hn::ShiftLeft<23>(hn::And(code, hn::Set(du, 0xFF)));
      hn::Store(hn::BitCast(d, bits), d, out + block * GroupKeys() + key);
    }
  }
}

// rows(i) is the packed row of key i of the group.
template <class Rows>
HWY_INLINE void UnpackKeys(const Rows& rows, size_t dim, const KeyGroup& out) {
  HWY_ALIGN uint32_t packed[4 * 32];
  const size_t keys = GroupKeys(), blocks = dim / kScaleBlock;
  for (size_t block = 0; block < blocks; ++block) {
    TransposeBlock(rows, block, packed);
    uint32_t* words = out.words + block * kBlockWords * keys;
    for (size_t i = 0; i < 4 * keys; i += hn::Lanes(KeyTag())) {
      uint32_t* even = words + i / keys * 2 * keys + i % keys;
      UnpackWords(packed + i, even, even + keys);
    }
  }
  for (size_t block = 0; block < blocks; block += 4) {
    UnpackScales(rows, dim / 2 + block, std::min<size_t>(4, blocks - block),
                 out.scales + block * keys);
  }
}

}  // namespace cedar::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // include guard
