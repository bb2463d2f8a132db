// Matrix products that decode weights in registers, right before they are used: the kernels for
// generated rows, of which there are few, so that reading the weights is most of the work. Included
// once for each Highway target, by kernel files only.
//
// The order of an element's sum (simd/kernels.h, Bits) is that of Step() and its loop: lanes of
// products are added up over one step from zero, in the order of the vectors; that, times the
// scale, is added to the element's lanes, step by step; and at the end the lanes are added up.
// Nothing of it depends on how many weight rows and activation rows a block has.

#if defined(CEDAR_SIMD_MATMUL_ROWS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef CEDAR_SIMD_MATMUL_ROWS_INL_H_
#undef CEDAR_SIMD_MATMUL_ROWS_INL_H_
#else
#define CEDAR_SIMD_MATMUL_ROWS_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>

#include "simd/decode-inl.h"
#include "simd/matmul_views.h"
#include "simd/matrix.h"

HWY_BEFORE_NAMESPACE();
namespace cedar::simd::HWY_NAMESPACE {

#if HWY_HAVE_SCALABLE || HWY_TARGET_IS_SVE

// SVE vectors cannot lie in arrays: one element at a time.
inline constexpr size_t kMaxRows = 1, kMaxTokens = 1;

template <class W, size_t kRows, size_t kTokens>
void Block(const WeightMatrix& w, size_t row, const uint8_t* const* x,
           float (&out)[kRows][kTokens]) {
  const uint8_t* weights = WeightRow(w, row);
  const uint8_t* scales = ScaleRow(w, row);
  auto sum = hn::Zero(DF());
  for (size_t step = 0; step < w.cols / W::kStep; ++step) {
    auto products = hn::Zero(DF());
    for (size_t q = 0; q < W::Vectors(); ++q) {
      products = AddProducts(W::Weight(W::Read(weights + step * W::kStepBytes), q),
                             W::Activation(x[0] + step * W::kActivationBytes, q), products);
    }
    if constexpr (W::kScaled) {
      sum = hn::MulAdd(products, W::Scale(scales + step), sum);
    } else {
      sum = hn::Add(sum, products);
    }
  }
  out[0][0] = hn::ReduceSum(DF(), sum);
}

template <class W>
void OneToken(const WeightMatrix& w, Range range, const uint8_t* x, const MatMulOutput& y) {
  for (size_t row = range.begin; row < range.end; ++row) {
    float out[1][1];
    Block<W, 1, 1>(w, row, &x, out);
    Put(y, 0, row, out[0][0]);
  }
}

#else

// The largest block: more do not fit into the registers.
inline constexpr size_t kMaxRows = 2, kMaxTokens = CEDAR_BF16_DOTS ? 8 : 4;

// Memory is asked for weights at least this far ahead, and to put them into the L2 cache, which can
// wait for many more lines at a time than the L1 cache can: of the speed of plain reads (31 GB/s on
// Zen 4) one row of FP4 reached 0.65 with prefetches into L1, whatever the distance, and 0.82 so.
inline constexpr size_t kPrefetchBytes = 16384;

HWY_INLINE void PrefetchToL2(const uint8_t* p) { __builtin_prefetch(p, /*rw=*/0, /*locality=*/1); }

// sum + the products of w and the activations that meet it.
template <class W, bool kOnce, class V>
HWY_INLINE VF AddActivation(V w, const uint8_t* x, size_t q, VF sum) {
#if CEDAR_BF16_DOTS
  if constexpr (kOnce && std::is_same_v<V, VB>) return AddProductsFrom(w, x + 64 * q, sum);
#endif
  return AddProducts(w, W::Activation(x, q), sum);
}

// The products of one step of a block of kRows x kTokens elements, its weights at weights[r], its
// activations at x[m] + x_offset.
template <class W, size_t kRows, size_t kTokens>
HWY_INLINE void StepProducts(const uint8_t* const (&weights)[kRows], const uint8_t* const* x,
                             size_t x_offset, VF (&products)[kRows][kTokens]) {
  constexpr size_t kVectors = W::Vectors();
  decltype(W::Read(nullptr)) read[kRows];
  HWY_UNROLL(8)
  for (size_t r = 0; r < kRows; ++r) {
    read[r] = W::Read(weights[r]);
    HWY_UNROLL(8)
    for (size_t m = 0; m < kTokens; ++m) products[r][m] = hn::Zero(DF());
  }
  HWY_UNROLL(8)
  for (size_t q = 0; q < kVectors; ++q) {
    decltype(W::Weight(read[0], 0)) weight[kRows];
    HWY_UNROLL(8)
    for (size_t r = 0; r < kRows; ++r) weight[r] = W::Weight(read[r], q);
    HWY_UNROLL(8)
    for (size_t m = 0; m < kTokens; ++m) {
      HWY_UNROLL(8)
      for (size_t r = 0; r < kRows; ++r) {
        products[r][m] =
            AddActivation<W, kRows == 1>(weight[r], x[m] + x_offset, q, products[r][m]);
      }
    }
  }
}

// One step added to the sums; scale(r) is that of a row's lanes.
template <class W, size_t kRows, size_t kTokens, class ScaleOfRow>
HWY_INLINE void Step(const uint8_t* const (&weights)[kRows], const uint8_t* const* x,
                     size_t x_offset, const ScaleOfRow& scale, VF (&sum)[kRows][kTokens]) {
  VF products[kRows][kTokens];
  StepProducts<W>(weights, x, x_offset, products);
  HWY_UNROLL(8)
  for (size_t r = 0; r < kRows; ++r) {
    HWY_UNROLL(8)
    for (size_t m = 0; m < kTokens; ++m) {
      if constexpr (W::kScaled) {
        sum[r][m] = hn::MulAdd(products[r][m], scale(r), sum[r][m]);
      } else {
        sum[r][m] = hn::Add(sum[r][m], products[r][m]);
      }
    }
  }
}

// The unfinished last step of a weight row, padded with zeros: activations are packed that way too.
template <class W>
struct Tail {
  alignas(64) uint8_t weights[W::kStepBytes] = {};
  uint8_t scales[W::kStep / kScaleBlock] = {};

  void Fill(const uint8_t* w, const uint8_t* s, size_t channels) {
    std::memcpy(weights, w, channels * W::kStepBytes / W::kStep);
    if constexpr (W::kScaled) std::memcpy(scales, s, channels / kScaleBlock);
  }
};

// Where a block is in its rows.
template <class W, size_t kRows>
struct RowCursor {
  const uint8_t *weights[kRows], *scales[kRows];
  size_t x_offset = 0;  // of the packed activations

  RowCursor(const WeightMatrix& w, size_t row) {
    HWY_UNROLL(8)
    for (size_t r = 0; r < kRows; ++r) {
      weights[r] = w.data + (row + r) * (w.cols * W::kStepBytes / W::kStep);
      scales[r] = ScaleRow(w, row + r);
    }
  }

  HWY_INLINE void Prefetch() const {
    HWY_UNROLL(8)
    for (size_t r = 0; r < kRows; ++r) {
      for (size_t i = 0; i < W::kStepBytes; i += 64) PrefetchToL2(weights[r] + kPrefetchBytes + i);
    }
  }
  HWY_INLINE void NextStep() {
    HWY_UNROLL(8)
    for (size_t r = 0; r < kRows; ++r) weights[r] += W::kStepBytes;
    x_offset += W::kActivationBytes;
  }
  HWY_INLINE void SkipScales(size_t steps) {
    HWY_UNROLL(8)
    for (size_t r = 0; r < kRows; ++r) scales[r] += steps * (W::kStep / kScaleBlock);
  }
};

// The next W::kGroup steps.
template <class W, size_t kRows, size_t kTokens>
HWY_INLINE void Group(RowCursor<W, kRows>& at, const uint8_t* const* x, VF (&sum)[kRows][kTokens]) {
  VF scales[kRows];
  HWY_UNROLL(8)
  for (size_t r = 0; r < kRows; ++r) scales[r] = W::GroupScales(at.scales[r]);
  at.SkipScales(W::kGroup);
  HWY_UNROLL(8)
  for (size_t i = 0; i < W::kGroup; ++i) {
    at.Prefetch();
    const auto scale = [&](size_t r) HWY_ATTR { return W::GroupScale(scales[r], i); };
    Step<W, kRows, kTokens>(at.weights, x, at.x_offset, scale, sum);
    at.NextStep();
  }
}

// Adds up the weight rows from `row` on times the packed activation rows x[0..kTokens), lane by
// lane.
template <class W, size_t kRows, size_t kTokens>
HWY_INLINE void SumLanes(const WeightMatrix& w, size_t row, const uint8_t* const* x,
                         VF (&sum)[kRows][kTokens]) {
  RowCursor<W, kRows> at(w, row);
  const auto scale = [&](size_t r) HWY_ATTR {
    if constexpr (W::kScaled) return W::Scale(at.scales[r]);
  };
  HWY_UNROLL(8)
  for (size_t r = 0; r < kRows; ++r) {
    HWY_UNROLL(8)
    for (size_t m = 0; m < kTokens; ++m) sum[r][m] = hn::Zero(DF());
  }
  size_t steps = w.cols / W::kStep;
  if constexpr (W::kGroup > 1) {
    for (; steps >= W::kGroup; steps -= W::kGroup) Group<W, kRows, kTokens>(at, x, sum);
  }
  for (; steps > 0; --steps) {
    at.Prefetch();
    Step<W, kRows, kTokens>(at.weights, x, at.x_offset, scale, sum);
    at.NextStep();
    at.SkipScales(1);
  }
  if (const size_t rest = w.cols % W::kStep; rest != 0) {
    Tail<W> tails[kRows];
    for (size_t r = 0; r < kRows; ++r) {
      tails[r].Fill(at.weights[r], at.scales[r], rest);
      at.weights[r] = tails[r].weights;
      at.scales[r] = tails[r].scales;
    }
    Step<W, kRows, kTokens>(at.weights, x, at.x_offset, scale, sum);
  }
}

// Adds the upper half of a vector to the lower one until four lanes are left.
template <size_t kLanes>
HWY_INLINE hn::Vec<hn::FixedTag<float, 4> > AddHalves(hn::Vec<hn::FixedTag<float, kLanes> > v) {
  if constexpr (kLanes == 4) {
    return v;
  } else {
    const hn::FixedTag<float, kLanes / 2> half;
    return AddHalves<kLanes / 2>(hn::Add(hn::LowerHalf(half, v), hn::UpperHalf(half, v)));
  }
}

// The sums of the lanes of four vectors at once, in the same order for each.
HWY_INLINE hn::Vec<hn::FixedTag<float, 4> > AddLanes(VF a, VF b, VF c, VF d) {
  const hn::Repartition<uint64_t, DF> pairs;
  const auto ab = hn::Add(hn::InterleaveLower(DF(), a, b), hn::InterleaveUpper(DF(), a, b));
  const auto cd = hn::Add(hn::InterleaveLower(DF(), c, d), hn::InterleaveUpper(DF(), c, d));
  const auto ab2 = hn::BitCast(pairs, ab), cd2 = hn::BitCast(pairs, cd);
  const auto abcd = hn::Add(hn::BitCast(DF(), hn::InterleaveLower(pairs, ab2, cd2)),
                            hn::BitCast(DF(), hn::InterleaveUpper(pairs, ab2, cd2)));
  return AddHalves<HWY_MAX_LANES_D(DF)>(abcd);
}

// Elements of the weight rows from `row` on times the packed activation rows x[0..kTokens).
template <class W, size_t kRows, size_t kTokens>
HWY_INLINE void Block(const WeightMatrix& w, size_t row, const uint8_t* const* x,
                      float (&out)[kRows][kTokens]) {
  VF sum[kRows][kTokens];
  SumLanes<W, kRows, kTokens>(w, row, x, sum);
  constexpr size_t kOut = kRows * kTokens;
  alignas(16) float sums[(kOut + 3) / 4 * 4];
  HWY_UNROLL(4)
  for (size_t i = 0; i < kOut; i += 4) {
    const auto at = [&](size_t j) HWY_ATTR {
      return sum[std::min(i + j, kOut - 1) / kTokens][std::min(i + j, kOut - 1) % kTokens];
    };
    hn::Store(AddLanes(at(0), at(1), at(2), at(3)), hn::FixedTag<float, 4>(), sums + i);
  }
  for (size_t i = 0; i < kOut; ++i) out[i / kTokens][i % kTokens] = sums[i];
}

// One activation row: weight row after weight row, because memory is read fastest in one stream,
// and the lanes of four of them are added up together.
template <class W>
HWY_NOINLINE void OneToken(const WeightMatrix& w, Range range, const uint8_t* x,
                           const MatMulOutput& y) {
  constexpr size_t kLanes = HWY_MAX_LANES_D(DF);
  alignas(64) float lanes[4][kLanes] = {};
  alignas(16) float out[4];
  for (size_t row = range.begin; row < range.end; row += 4) {
    const size_t rows = std::min<size_t>(4, range.end - row);
    for (size_t r = 0; r < rows; ++r) {
      VF sum[1][1];
      SumLanes<W, 1, 1>(w, row + r, &x, sum);
      hn::Store(sum[0][0], DF(), lanes[r]);
    }
    const auto load = [&](size_t r) HWY_ATTR { return hn::Load(DF(), lanes[r]); };
    hn::Store(AddLanes(load(0), load(1), load(2), load(3)), hn::FixedTag<float, 4>(), out);
    for (size_t r = 0; r < rows; ++r) Put(y, 0, row + r, out[r]);
  }
}

#endif  // HWY_HAVE_SCALABLE || HWY_TARGET_IS_SVE

template <class W, size_t kRows, size_t kTokens>
HWY_NOINLINE void BlockInto(const WeightMatrix& w, size_t row, const uint8_t* const* x,
                            size_t token, const MatMulOutput& y) {
  float out[kRows][kTokens];
  Block<W, kRows, kTokens>(w, row, x + token, out);
  for (size_t r = 0; r < kRows; ++r) {
    for (size_t m = 0; m < kTokens; ++m) Put(y, token + m, row + r, out[r][m]);
  }
}

// A block of kMaxRows weight rows and `count` activation rows, at most kTokens.
template <class W, size_t kTokens = kMaxTokens>
void BlockOf(size_t count, const WeightMatrix& w, size_t row, const uint8_t* const* x, size_t token,
             const MatMulOutput& y) {
  if constexpr (kTokens > 1) {
    if (count < kTokens) return BlockOf<W, kTokens - 1>(count, w, row, x, token, y);
  }
  BlockInto<W, kMaxRows, kTokens>(w, row, x, token, y);
}

// Blocks of about the same size, because each decodes the weights again.
template <class W>
void MultiplyRows(const WeightMatrix& w, Range range, std::span<const uint8_t* const> x,
                  const MatMulOutput& y) {
  if (x.size() == 1) return OneToken<W>(w, range, x[0], y);
  const size_t blocks = (x.size() + kMaxTokens - 1) / kMaxTokens;
  size_t row = range.begin;
  for (; row + kMaxRows <= range.end; row += kMaxRows) {
    for (size_t i = 0; i < blocks; ++i) {
      const size_t token = i * x.size() / blocks, end = (i + 1) * x.size() / blocks;
      BlockOf<W>(end - token, w, row, x.data(), token, y);
    }
  }
  for (; row < range.end; ++row) {
    for (size_t i = 0; i < x.size(); ++i) BlockInto<W, 1, 1>(w, row, x.data(), i, y);
  }
}

}  // namespace cedar::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // include guard
