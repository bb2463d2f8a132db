#include "simd/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/top_k.cc"
#include <hwy/foreach_target.h>
// After foreach_target.h.
#include <hwy/highway.h>

#include <algorithm>
#include <bit>
#include <limits>

#include "simd/fill.h"

// The k largest of many scores: first the score that the last of them has, by counting how many
// scores reach a guess, then one pass that collects indices, which so come out ascending. Counting
// costs a few passes over the scores whatever their distribution, and needs no memory.

HWY_BEFORE_NAMESPACE();
namespace cedar::simd::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using ScoreTag = hn::ScalableTag<float>;
using IndexTag = hn::RebindToSigned<ScoreTag>;

// Floats in their order as integers, and back. -0 comes just before 0.
uint32_t Ordinal(float x) {
  const uint32_t bits = std::bit_cast<uint32_t>(x);
  return bits >> 31 ? ~bits : bits | 0x80000000u;
}
float OfOrdinal(uint32_t ordinal) {
  return std::bit_cast<float>(ordinal >> 31 ? ordinal & 0x7FFFFFFF : ~ordinal);
}

// The scores at i, and -infinity, which nobody chooses, behind the last one.
HWY_INLINE hn::Vec<ScoreTag> LoadScores(const float* scores, size_t i, size_t n) {
  const ScoreTag d;
  if (i + hn::Lanes(d) <= n) return hn::LoadU(d, scores + i);
  return hn::LoadNOr(hn::Set(d, -std::numeric_limits<float>::infinity()), d, scores + i, n - i);
}

struct Counts {
  size_t of[3];
};

// How many scores reach each of three guesses.
Counts CountFrom(const float* scores, size_t n, const float* guesses) {
  const ScoreTag d;
  const IndexTag di;
  const auto guess0 = hn::Set(d, guesses[0]), guess1 = hn::Set(d, guesses[1]);
  const auto guess2 = hn::Set(d, guesses[2]);
  auto minus0 = hn::Zero(di), minus1 = hn::Zero(di), minus2 = hn::Zero(di);
  for (size_t i = 0; i < n; i += hn::Lanes(d)) {
    const auto v = LoadScores(scores, i, n);  // a true mask is -1
    minus0 = hn::Add(minus0, hn::BitCast(di, hn::VecFromMask(d, hn::Ge(v, guess0))));
    minus1 = hn::Add(minus1, hn::BitCast(di, hn::VecFromMask(d, hn::Ge(v, guess1))));
    minus2 = hn::Add(minus2, hn::BitCast(di, hn::VecFromMask(d, hn::Ge(v, guess2))));
  }
  const auto count = [di](auto minus) HWY_ATTR {
    return static_cast<size_t>(-static_cast<int64_t>(hn::ReduceSum(di, minus)));
  };
  return {{count(minus0), count(minus1), count(minus2)}};
}

// The largest score above -infinity that at least k scores reach; the least such float if there are
// not so many.
float Threshold(const float* scores, size_t n, size_t k) {
  uint32_t low = Ordinal(std::numeric_limits<float>::lowest());
  uint32_t high = Ordinal(std::numeric_limits<float>::infinity());
  while (low < high) {
    const uint64_t width = high - low;
    uint32_t ordinals[3];
    float guesses[3];
    for (uint32_t i = 0; i < 3; ++i) {
      ordinals[i] = low + static_cast<uint32_t>((width * (i + 1) + 3) / 4);
      guesses[i] = OfOrdinal(ordinals[i]);
    }
    const Counts counts = CountFrom(scores, n, guesses);
    for (int i = 2; i >= 0; --i) {
      if (counts.of[i] == k) return guesses[i];
      if (counts.of[i] > k) {
        low = ordinals[i];
        break;
      }
      high = ordinals[i] - 1;
    }
  }
  return OfOrdinal(low);
}

// Takes indices of scores above a threshold, and of those that equal it as long as `ties` lasts.
struct Collector {
  float threshold;
  size_t ties;
  int32_t* out;
  size_t count;

  HWY_INLINE void Take(hn::Vec<ScoreTag> v, size_t first) {
    const ScoreTag d;
    const IndexTag di;
    const auto equal = hn::Eq(v, hn::Set(d, threshold));
    const size_t equals = hn::CountTrue(d, equal);
    if (equals > ties && ties > 0) return TakeOneByOne(v, first);
    const auto above = hn::Gt(v, hn::Set(d, threshold));
    const auto taken = ties > 0 ? hn::Or(above, equal) : above;
    if (ties > 0) ties -= equals;
    count += hn::CompressBlendedStore(hn::Iota(di, static_cast<int32_t>(first)),
                                      hn::RebindMask(di, taken), di, out + count);
  }

  // The one vector in which the ties run out.
  void TakeOneByOne(hn::Vec<ScoreTag> v, size_t first) {
    const ScoreTag d;
    HWY_ALIGN float lanes[hn::MaxLanes(d)];
    hn::Store(v, d, lanes);
    for (size_t i = 0; i < hn::Lanes(d); ++i) {
      if (lanes[i] < threshold || (lanes[i] == threshold && ties == 0)) continue;
      if (lanes[i] == threshold) --ties;
      out[count++] = static_cast<int32_t>(first + i);
    }
  }
};

size_t TopK(const float* scores, size_t n, size_t k, int32_t* out) {
  if (k == 0 || n == 0) return 0;
  const float threshold = Threshold(scores, n, k);
  const float next = OfOrdinal(Ordinal(threshold + 0.0f) + 1);  // of 0 and -0 the same
  const float guesses[3] = {next, next, next};
  const size_t above = CountFrom(scores, n, guesses).of[0];
  Collector collector = {threshold, k - std::min(k, above), out, 0};
  for (size_t i = 0; i < n; i += hn::Lanes(ScoreTag())) {
    collector.Take(LoadScores(scores, i, n), i);
  }
  return collector.count;
}

}  // namespace cedar::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace cedar::simd {

HWY_EXPORT(TopK);

void FillTopK(int64_t target, Kernels* kernels) { kernels->top_k = CEDAR_KERNEL(TopK, target); }

}  // namespace cedar::simd

#endif  // HWY_ONCE
