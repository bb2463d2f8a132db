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

#else

// The largest block: more do not fit into the registers.
inline constexpr size_t kMaxRows = 2, kMaxTokens = CEDAR_BF16_DOTS ? 8 : 4;

// Memory is asked for weights at least this far ahead, and to put them into the L2 cache, which can
// wait for many more lines at a time than the L1 cache can: of the speed of plain reads (31 GB/s on
// Zen 4) one row of FP4 reached 0.65 with prefetches into L1, whatever the distance, and 0.82 so.
inline constexpr size_t kPrefetchBytes = 8192;

HWY_INLINE void PrefetchToL2(const uint8_t* p) { __builtin_prefetch(p, /*rw=*/0, /*locality=*/1); }

// One step of a block of kRows x kTokens elements, its weights at weights[r] and their scales at
// scales[r], its activations at x[m] + x_offset.
template <class W, size_t kRows, size_t kTokens>
HWY_INLINE void Step(const uint8_t* const (&weights)[kRows], const uint8_t* const (&scales)[kRows],
                     const uint8_t* const* x, size_t x_offset, VF (&sum)[kRows][kTokens]) {
  constexpr size_t kVectors = W::Vectors();
  decltype(W::Read(nullptr)) read[kRows];
  VF products[kRows][kTokens];
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
      const auto activation = W::Activation(x[m] + x_offset, q);
      HWY_UNROLL(8)
      for (size_t r = 0; r < kRows; ++r) {
        products[r][m] = AddProducts(weight[r], activation, products[r][m]);
      }
    }
  }
  HWY_UNROLL(8)
  for (size_t r = 0; r < kRows; ++r) {
    HWY_UNROLL(8)
    for (size_t m = 0; m < kTokens; ++m) {
      if constexpr (W::kScaled) {
        sum[r][m] = hn::MulAdd(products[r][m], W::Scale(scales[r]), sum[r][m]);
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

// Elements of the weight rows from `row` on times the packed activation rows x[0..kTokens).
template <class W, size_t kRows, size_t kTokens>
HWY_NOINLINE void Block(const WeightMatrix& w, size_t row, const uint8_t* const* x,
                        float (&out)[kRows][kTokens]) {
  const uint8_t *weights[kRows], *scales[kRows];
  VF sum[kRows][kTokens];
  HWY_UNROLL(8)
  for (size_t r = 0; r < kRows; ++r) {
    weights[r] = WeightRow(w, row + r);
    scales[r] = ScaleRow(w, row + r);
    HWY_UNROLL(8)
    for (size_t m = 0; m < kTokens; ++m) sum[r][m] = hn::Zero(DF());
  }
  const size_t steps = w.cols / W::kStep, rest = w.cols % W::kStep;
  // The same place of a row that is needed later: after these rows come the next ones.
  const size_t block_bytes = kRows * RowBytes(w.format, w.cols);
  const size_t ahead = (kPrefetchBytes + block_bytes - 1) / block_bytes * block_bytes;
  for (size_t step = 0; step < steps; ++step) {
    Step<W, kRows, kTokens>(weights, scales, x, step * W::kActivationBytes, sum);
    HWY_UNROLL(8)
    for (size_t r = 0; r < kRows; ++r) {
      for (size_t line = 0; line < W::kStepBytes; line += 64)
        PrefetchToL2(weights[r] + ahead + line);
      weights[r] += W::kStepBytes;
      scales[r] += W::kStep / kScaleBlock;
    }
  }
  if (rest != 0) {
    Tail<W> tails[kRows];
    for (size_t r = 0; r < kRows; ++r) {
      tails[r].Fill(weights[r], scales[r], rest);
      weights[r] = tails[r].weights;
      scales[r] = tails[r].scales;
    }
    Step<W, kRows, kTokens>(weights, scales, x, steps * W::kActivationBytes, sum);
  }
  HWY_UNROLL(8)
  for (size_t r = 0; r < kRows; ++r) {
    HWY_UNROLL(8)
    for (size_t m = 0; m < kTokens; ++m) out[r][m] = hn::ReduceSum(DF(), sum[r][m]);
  }
}

#endif  // HWY_HAVE_SCALABLE || HWY_TARGET_IS_SVE

template <class W, size_t kRows, size_t kTokens>
void BlockInto(const WeightMatrix& w, size_t row, const uint8_t* const* x, size_t token,
               const MatMulOutput& y) {
  float out[kRows][kTokens];
  Block<W, kRows, kTokens>(w, row, x + token, out);
  for (size_t r = 0; r < kRows; ++r) {
    for (size_t m = 0; m < kTokens; ++m) Put(y, token + m, row + r, out[r][m]);
  }
}

// The blocks of kRows weight rows from `row` on, for all activation rows.
template <class W, size_t kRows>
void AllTokens(const WeightMatrix& w, size_t row, std::span<const uint8_t* const> x,
               const MatMulOutput& y) {
  size_t token = 0;
  for (; token + kMaxTokens <= x.size(); token += kMaxTokens) {
    BlockInto<W, kRows, kMaxTokens>(w, row, x.data(), token, y);
  }
  if constexpr (kMaxTokens == 8) {
    if (token + 4 <= x.size()) BlockInto<W, kRows, 4>(w, row, x.data(), token, y), token += 4;
  }
  if constexpr (kMaxTokens >= 4) {
    if (token + 2 <= x.size()) BlockInto<W, kRows, 2>(w, row, x.data(), token, y), token += 2;
    if (token < x.size()) BlockInto<W, kRows, 1>(w, row, x.data(), token, y);
  }
}

template <class W>
void MultiplyRows(const WeightMatrix& w, Range range, std::span<const uint8_t* const> x,
                  const MatMulOutput& y) {
  size_t row = range.begin;
  for (; row + kMaxRows <= range.end; row += kMaxRows) AllTokens<W, kMaxRows>(w, row, x, y);
  for (; row < range.end; ++row) AllTokens<W, 1>(w, row, x, y);
}

}  // namespace cedar::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // include guard
