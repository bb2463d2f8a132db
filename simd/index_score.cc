#include "simd/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/index_score.cc"
#include <hwy/foreach_target.h>
// After foreach_target.h.
#include <hwy/highway.h>

#include <algorithm>

#include "simd/error.h"
#include "simd/fill.h"
#include "simd/index_keys-inl.h"

// Index scores: a key to a lane, so that a score depends on nothing but its own key. Blocks' dot
// products are exact integers; their sum over blocks, and the scores' over heads, are fp32 sums in
// ascending order.

HWY_BEFORE_NAMESPACE();
namespace cedar::simd::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

constexpr size_t kHeadsTogether = 4;
constexpr size_t kMaxKeys = 32;           // of a group
constexpr size_t kQueryChannels = 16384;  // unpacked at a time: all heads of the released model

// Unpacked queries and one group of keys.
struct Work {
  alignas(64) uint32_t query_words[kQueryChannels / 4];
  float query_factors[kQueryChannels / kScaleBlock];
  int32_t query_begins[kQueryChannels / kScaleBlock];
  alignas(64) uint32_t key_words[kMaxKeys * kMaxIndexDim / 4];
  alignas(64) float key_scales[kMaxKeys * kMaxIndexDim / kScaleBlock];

  QueryRow Query(size_t head, size_t dim) {
    return {query_words + head * dim / 4, query_factors + head * dim / kScaleBlock,
            query_begins + head * dim / kScaleBlock};
  }
};

// The sums of a block, one for each key of a vector, grow word by word; a word adds four products.
#if HWY_TARGET == HWY_AVX2

// No instruction adds four products to a 32-bit sum, but one makes two 16-bit sums of two, and 16
// bits hold those of a whole block: 16 products of at most 24 * 12.
using BlockSums = hn::Vec<hn::Repartition<int16_t, KeyTag>>;

HWY_INLINE BlockSums Begin(int32_t) { return hn::Zero(hn::Repartition<int16_t, KeyTag>()); }
HWY_INLINE BlockSums AddWord(hn::Vec<KeyBytes> key, hn::Vec<QueryBytes> query, BlockSums sums) {
  const hn::Repartition<int16_t, KeyTag> d16;
  return hn::Add(sums, hn::SatWidenMulPairwiseAdd(d16, key, query));
}
HWY_INLINE hn::Vec<KeySums> Total(BlockSums sums, int32_t begin) {
  return hn::Add(hn::SumsOf2(sums), hn::Set(KeySums(), begin));
}

#else

using BlockSums = hn::Vec<KeySums>;

HWY_INLINE BlockSums Begin(int32_t begin) { return hn::Set(KeySums(), begin); }
HWY_INLINE BlockSums AddWord(hn::Vec<KeyBytes> key, hn::Vec<QueryBytes> query, BlockSums sums) {
  return hn::SumOfMulQuadAccumulate(KeySums(), key, query, sums);
}
HWY_INLINE hn::Vec<KeySums> Total(BlockSums sums, int32_t) { return sums; }

#endif

HWY_INLINE hn::Vec<KeyBytes> LoadKeys(const uint32_t* words) {
  return hn::BitCast(KeyBytes(), hn::Load(KeyWords(), words));
}

// Adds word `i` of two vectors of keys and of a query to their sums.
HWY_INLINE void AddWordOfHead(hn::Vec<KeyBytes> key0, hn::Vec<KeyBytes> key1, const QueryRow& query,
                              size_t i, BlockSums& sums0, BlockSums& sums1) {
  const auto bytes = hn::BitCast(QueryBytes(), hn::Set(KeyWords(), query.words[i]));
  sums0 = AddWord(key0, bytes, sums0);
  sums1 = AddWord(key1, bytes, sums1);
}

// Adds the word at `words` of two vectors of keys and word `i` of four queries.
HWY_INLINE void AddWordOfHeads(const uint32_t* words, const QueryRow& a, const QueryRow& b,
                               const QueryRow& c, const QueryRow& e, size_t i, BlockSums& a0,
                               BlockSums& a1, BlockSums& b0, BlockSums& b1, BlockSums& c0,
                               BlockSums& c1, BlockSums& e0, BlockSums& e1) {
  const auto key0 = LoadKeys(words), key1 = LoadKeys(words + hn::Lanes(KeyTag()));
  AddWordOfHead(key0, key1, a, i, a0, a1);
  AddWordOfHead(key0, key1, b, i, b0, b1);
  AddWordOfHead(key0, key1, c, i, c0, c1);
  AddWordOfHead(key0, key1, e, i, e0, e1);
}

// dot + the sums of a block times the scales of the query and of the keys.
HWY_INLINE KeyVector AddBlock(BlockSums sums, const QueryRow& query, size_t block, KeyVector scales,
                              KeyVector dot) {
  const KeyTag d;
  const auto total = hn::ConvertTo(d, Total(sums, query.begins[block]));
  return hn::MulAdd(total, hn::Mul(scales, hn::Set(d, query.factors[block])), dot);
}

// score + weight * relu(dot)
HWY_INLINE KeyVector AddHead(KeyVector dot, float weight, KeyVector score) {
  const KeyTag d;
  return hn::MulAdd(hn::Max(dot, hn::Zero(d)), hn::Set(d, weight), score);
}

// Adds four heads' parts to the scores of a group of keys.
HWY_INLINE void AddFourHeads(const QueryRow& a, const QueryRow& b, const QueryRow& c,
                             const QueryRow& e, const float* w, size_t dim, const KeyGroup& keys,
                             KeyVector& score0, KeyVector& score1) {
  const KeyTag d;
  const size_t lanes = hn::Lanes(d);
  auto dot_a0 = hn::Zero(d), dot_a1 = hn::Zero(d), dot_b0 = hn::Zero(d), dot_b1 = hn::Zero(d);
  auto dot_c0 = hn::Zero(d), dot_c1 = hn::Zero(d), dot_e0 = hn::Zero(d), dot_e1 = hn::Zero(d);
  const uint32_t* HWY_RESTRICT words = keys.words;
  for (size_t block = 0; block < dim / kScaleBlock; ++block) {
    auto a0 = Begin(a.begins[block]), b0 = Begin(b.begins[block]);
    auto c0 = Begin(c.begins[block]), e0 = Begin(e.begins[block]);
    auto a1 = a0, b1 = b0, c1 = c0, e1 = e0;
    // Four words to an iteration: a loop of one is 10 % slower.
    for (size_t i = block * kBlockWords; i < (block + 1) * kBlockWords;
         i += 4, words += 8 * lanes) {
      AddWordOfHeads(words, a, b, c, e, i, a0, a1, b0, b1, c0, c1, e0, e1);
      AddWordOfHeads(words + 2 * lanes, a, b, c, e, i + 1, a0, a1, b0, b1, c0, c1, e0, e1);
      AddWordOfHeads(words + 4 * lanes, a, b, c, e, i + 2, a0, a1, b0, b1, c0, c1, e0, e1);
      AddWordOfHeads(words + 6 * lanes, a, b, c, e, i + 3, a0, a1, b0, b1, c0, c1, e0, e1);
    }
    const auto scale0 = hn::Load(d, keys.scales + block * 2 * lanes);
    const auto scale1 = hn::Load(d, keys.scales + block * 2 * lanes + lanes);
    dot_a0 = AddBlock(a0, a, block, scale0, dot_a0);
    dot_a1 = AddBlock(a1, a, block, scale1, dot_a1);
    dot_b0 = AddBlock(b0, b, block, scale0, dot_b0);
    dot_b1 = AddBlock(b1, b, block, scale1, dot_b1);
    dot_c0 = AddBlock(c0, c, block, scale0, dot_c0);
    dot_c1 = AddBlock(c1, c, block, scale1, dot_c1);
    dot_e0 = AddBlock(e0, e, block, scale0, dot_e0);
    dot_e1 = AddBlock(e1, e, block, scale1, dot_e1);
  }
  score0 = AddHead(dot_e0, w[3],
                   AddHead(dot_c0, w[2], AddHead(dot_b0, w[1], AddHead(dot_a0, w[0], score0))));
  score1 = AddHead(dot_e1, w[3],
                   AddHead(dot_c1, w[2], AddHead(dot_b1, w[1], AddHead(dot_a1, w[0], score1))));
}

// Unpacks `heads` queries; those that fill up the last four are zero.
void UnpackQueries(const uint8_t* queries, size_t heads, size_t dim, Work* work) {
  for (size_t h = 0; h < heads; ++h) {
    UnpackQuery(queries + h * IndexKeyBytes(dim), dim, work->Query(h, dim));
  }
  for (size_t h = heads; h % kHeadsTogether != 0; ++h) {
    const QueryRow row = work->Query(h, dim);
    std::fill_n(row.words, dim / 4, 0);
    std::fill_n(row.factors, dim / kScaleBlock, 0);
    std::fill_n(row.begins, dim / kScaleBlock, 0);
  }
}

// Adds the unpacked heads to scores [count] of the keys in work.
void AddHeads(Work* work, const float* w, size_t heads, size_t dim, size_t count, float* scores) {
  const KeyTag d;
  const size_t lanes = hn::Lanes(d);
  const KeyGroup keys = {work->key_words, work->key_scales};
  const size_t count0 = std::min(count, lanes), count1 = count - count0;
  auto score0 = hn::LoadN(d, scores, count0), score1 = hn::LoadN(d, scores + count0, count1);
  for (size_t h = 0; h < heads; h += kHeadsTogether) {
    float weights[kHeadsTogether] = {};
    std::copy_n(w + h, std::min(kHeadsTogether, heads - h), weights);
    AddFourHeads(work->Query(h, dim), work->Query(h + 1, dim), work->Query(h + 2, dim),
                 work->Query(h + 3, dim), weights, dim, keys, score0, score1);
  }
  hn::StoreN(score0, d, scores, count0);
  hn::StoreN(score1, d, scores + count0, count1);
}

void IndexScores(const uint8_t* queries, const float* w, size_t heads, size_t dim,
                 std::span<const uint8_t* const> keys, float* scores) {
  CEDAR_CHECK(dim <= kMaxIndexDim);
  Work work;
  std::fill_n(scores, keys.size(), 0.0f);
  const size_t step = kQueryChannels / dim / kHeadsTogether * kHeadsTogether;
  for (size_t h = 0; h < heads; h += step) {
    const size_t together = std::min(step, heads - h);
    UnpackQueries(queries + h * IndexKeyBytes(dim), together, dim, &work);
    for (size_t first = 0; first < keys.size(); first += GroupKeys()) {
      // Lanes beyond the end repeat the last key.
      const auto row = [&](size_t i) { return keys[std::min(first + i, keys.size() - 1)]; };
      UnpackKeys(row, dim, {work.key_words, work.key_scales});
      AddHeads(&work, w + h, together, dim, std::min(GroupKeys(), keys.size() - first),
               scores + first);
    }
  }
}

}  // namespace cedar::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace cedar::simd {

HWY_EXPORT(IndexScores);

void FillIndexScore(int64_t target, Kernels* kernels) {
  kernels->index_scores = CEDAR_KERNEL(IndexScores, target);
}

}  // namespace cedar::simd

#endif  // HWY_ONCE
