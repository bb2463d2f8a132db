// Matrix products for generated rows, of which there are few, so that reading the weights is most
// of the work (matmul_steps-inl.h has the sums). Included once for each Highway target, by kernel
// files only.
//
// Where bf16 dot products are so fast that activations from the L2 cache would hold them up, these
// stay in the L1 cache: rows that are too long for it are cut into panels of columns, and 32 weight
// rows at a time go through one panel after the other, while their sums wait in scratch memory.

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
#include <span>
#include <type_traits>

#include "simd/decode-inl.h"
#include "simd/matmul_steps-inl.h"
#include "simd/matmul_views.h"
#include "simd/matrix.h"

HWY_BEFORE_NAMESPACE();
namespace cedar::simd::HWY_NAMESPACE {

#if HWY_HAVE_SCALABLE || HWY_TARGET_IS_SVE

// SVE vectors cannot lie in arrays: one element at a time.
inline constexpr size_t kRowsScratchBytes = 0;

template <class W>
float Element(const WeightMatrix& w, size_t row, const uint8_t* x) {
  const uint8_t* weights = WeightRow(w, row);
  const uint8_t* scales = ScaleRow(w, row);
  auto sum = hn::Zero(DF());
  for (size_t step = 0; step < w.cols / W::kStep; ++step) {
    auto products = hn::Zero(DF());
    for (size_t q = 0; q < W::Vectors(); ++q) {
      products = AddProducts(W::Weight(W::Read(weights + step * W::kStepBytes), q),
                             W::Activation(x + step * W::kActivationBytes, q), products);
    }
    if constexpr (W::kScaled) {
      sum = hn::MulAdd(products, W::Scale(scales + step), sum);
    } else {
      sum = hn::Add(sum, products);
    }
  }
  return hn::ReduceSum(DF(), sum);
}

template <class W>
void MultiplyRows(const WeightMatrix& w, Range range, std::span<const uint8_t* const> x,
                  const MatMulOutput& y, uint8_t*) {
  for (size_t row = range.begin; row < range.end; ++row) {
    for (size_t i = 0; i < x.size(); ++i) Put(y, i, row, Element<W>(w, row, x[i]));
  }
}

#else

// The largest block: more does not fit into the registers.
inline constexpr size_t kMaxTokens = 8;
template <class W>
inline constexpr size_t kTokensAtOnce = CEDAR_BF16_DOTS != 0 && kDirect<W> ? 8 : 4;

// Whether products of one activation row make chains enough with one weight row, so that these can
// follow each other: memory is read fastest in one stream. Not FP8's on fp32, which needs few
// instructions for a weight (AVX2: 19 -> 24 GB/s in cache with four rows).
template <class W>
inline constexpr bool kOneByOne = !kDirect<W> && W::kStepBytes != W::kStep;

// How many rows of a group are done at once. Four share what is done for activations; a single row
// of these has nothing to share, but its products are few chains: one row of BF16 is enough to keep
// up with memory, two of FP8.
template <class W, size_t kTokens>
constexpr size_t RowsAtOnce() {
  if (!kDirect<W> && kTokens == 1) return 4;
  if (CEDAR_BF16_DOTS && kDirect<W>) {
    if (kAsksL1<W, kTokens>) return kBf16<W> ? 1 : 2;
    return kTokens <= 4 ? 4 : 2;
  }
  return kTokens <= (CEDAR_BF16_DOTS || kDirect<W> ? 2 : 0) ? 4 : 2;
}

// Bytes of activations that leave room for weights and sums in the L1 cache; fp32 arithmetic loses
// a twentieth by panels.
inline constexpr size_t kPanelActivations = CEDAR_BF16_DOTS ? 30720 : ~size_t{0} - 1;

// Weight rows that go through a panel together: those that share their FP8 scales.
inline constexpr size_t kPanelRows = kScaleBlock;

// Scratch memory: the sums; and activations with scales in them, of each row a step of FP8 more,
// because panels are whole steps, and a cache line.
inline constexpr size_t kRowSumBytes = kPanelRows * kMaxTokens * HWY_MAX_LANES_D(D8);
inline constexpr size_t kRowsScratchBytes =
    kRowSumBytes + (CEDAR_BF16_DOTS ? kPanelActivations + kMaxTokens * (128 + 64) : 0);

// What the blocks of a panel share. Activation rows x[0..), the panel's part of them, and whose
// products go to y from row `token` on.
template <class W>
struct PanelWork {
  WeightPanel<W> weights;
  bool first, last;  // of the panels
  const uint8_t* const* x;
  float* sums;  // [kPanelRows][kMaxTokens] vectors
  const MatMulOutput& y;
  size_t token;

  float* SumsOf(size_t row, size_t i) const {
    return sums + (row % kPanelRows * kMaxTokens + i) * HWY_MAX_LANES_D(DF);
  }
};

// The lanes of kRows x kTokens elements are complete.
template <size_t kRows, size_t kTokens>
HWY_INLINE void PutBlock(const MatMulOutput& y, size_t token, size_t row,
                         const VF (&sum)[kRows][kTokens]) {
  constexpr size_t kOut = kRows * kTokens;
  alignas(16) float out[(kOut + 3) / 4 * 4];
  HWY_UNROLL(8)
  for (size_t i = 0; i < kOut; i += 4) {
    const auto at = [&](size_t j) HWY_ATTR {
      return sum[std::min(i + j, kOut - 1) / kTokens][std::min(i + j, kOut - 1) % kTokens];
    };
    hn::Store(AddLanes(at(0), at(1), at(2), at(3)), hn::FixedTag<float, 4>(), out + i);
  }
  for (size_t i = 0; i < kOut; ++i) {
    Put(y, token + i % kTokens, row + i / kTokens, out[i]);
  }
}

// The sums of kRows weight rows from `row` on and kTokens activation rows, before this panel.
template <class W, size_t kRows, size_t kTokens>
HWY_INLINE void StartSums(const PanelWork<W>& p, size_t row, VF (&sum)[kRows][kTokens]) {
  HWY_UNROLL(8)
  for (size_t r = 0; r < kRows; ++r) {
    HWY_UNROLL(8)
    for (size_t m = 0; m < kTokens; ++m) sum[r][m] = hn::Zero(DF());
  }
  if (p.first) return;
  HWY_UNROLL(8)
  for (size_t r = 0; r < kRows; ++r) {
    HWY_UNROLL(8)
    for (size_t m = 0; m < kTokens; ++m) sum[r][m] = hn::Load(DF(), p.SumsOf(row + r, m));
  }
}

// kRows weight rows from `row` on times kTokens activation rows.
template <class W, size_t kRows, size_t kTokens>
HWY_NOINLINE void AddRows(const PanelWork<W>& p, size_t row) {
  VF sum[kRows][kTokens];
  StartSums<W, kRows, kTokens>(p, row, sum);
  SumLanes<W, kRows, kTokens>(p.weights, row, p.x, sum);
  if (p.last) return PutBlock<kRows, kTokens>(p.y, p.token, row, sum);
  HWY_UNROLL(8)
  for (size_t r = 0; r < kRows; ++r) {
    HWY_UNROLL(8)
    for (size_t m = 0; m < kTokens; ++m) hn::Store(sum[r][m], DF(), p.SumsOf(row + r, m));
  }
}

// kRowGroup weight rows and one activation row, row after row; the lanes of all are added up
// together.
template <class W>
HWY_NOINLINE void AddOneByOne(const PanelWork<W>& p, size_t row) {
  VF sum[1][1];
  for (size_t r = 0; r < kRowGroup; ++r) {
    StartSums<W, 1, 1>(p, row + r, sum);
    SumLanes<W, 1, 1>(p.weights, row + r, p.x, sum);
    hn::Store(sum[0][0], DF(), p.SumsOf(row + r, 0));
  }
  if (!p.last) return;
  const auto load = [&](size_t r) HWY_ATTR { return hn::Load(DF(), p.SumsOf(row + r, 0)); };
  alignas(16) float out[kRowGroup];
  hn::Store(AddLanes(load(0), load(1), load(2), load(3)), hn::FixedTag<float, 4>(), out);
  for (size_t r = 0; r < kRowGroup; ++r) Put(p.y, p.token, row + r, out[r]);
}

// kRowGroup weight rows and `count` activation rows, at most kTokens.
template <class W, size_t kTokens = kTokensAtOnce<W> >
void AddGroup(size_t count, const PanelWork<W>& p, size_t row) {
  if constexpr (kTokens > 1) {
    if (count < kTokens) return AddGroup<W, kTokens - 1>(count, p, row);
  }
  if constexpr (kTokens == 1 && kOneByOne<W>) {
    AddOneByOne<W>(p, row);
  } else {
    constexpr size_t kRows = RowsAtOnce<W, kTokens>();
    for (size_t r = 0; r < kRowGroup; r += kRows) AddRows<W, kRows, kTokens>(p, row + r);
  }
}

// A single weight row, at the edge of a range.
template <class W>
void AddSingle(size_t count, const PanelWork<W>& p, size_t row) {
  for (size_t i = 0; i < count; ++i) {
    const PanelWork<W> one{p.weights, p.first, p.last, p.x + i, p.SumsOf(0, i), p.y, p.token + i};
    AddRows<W, 1, 1>(one, row);
  }
}

// Steps of a panel for `tokens` activation rows: all panels of about the same size.
template <class W>
size_t PanelSteps(size_t steps, size_t tokens) {
  const size_t panels = steps * tokens * W::kActivationBytes / (kPanelActivations + 1) + 1;
  const size_t groups = panels * W::kGroup;
  return (steps + groups - 1) / groups * W::kGroup;
}

// The panel's part of the activation rows: where it is, or with scales in it where scratch begins.
template <class W>
void PanelActivations(const WeightMatrix& w, size_t row, const Panel& panel,
                      std::span<const uint8_t* const> x, uint8_t* scratch, const uint8_t** out) {
  for (size_t i = 0; i < x.size(); ++i) {
    out[i] = x[i] + panel.begin * W::kActivationBytes;
    if constexpr (W::kScalesActivations) {
      // An odd number of cache lines apart, so that they do not compete for the same sets.
      const size_t stride = ((panel.end - panel.begin) * W::kActivationBytes / 64 | 1) * 64;
      W::ScaleActivations(out[i], ScaleRow(w, row), w.cols, panel.begin, panel.end,
                          scratch + i * stride);
      out[i] = scratch + i * stride;
    }
  }
}

// Weight rows [rows.begin, rows.end), at most kPanelRows that share FP8 scales, times x, at most
// kMaxTokens.
template <class W>
void MultiplyPanels(const WeightMatrix& w, Range rows, std::span<const uint8_t* const> x,
                    size_t token, const MatMulOutput& y, uint8_t* scratch) {
  const size_t steps = (w.cols + W::kStep - 1) / W::kStep,
               panel_steps = PanelSteps<W>(steps, x.size());
  const uint8_t* part[kMaxTokens];
  for (size_t begin = 0; begin < steps; begin += panel_steps) {
    const size_t end = std::min(begin + panel_steps, steps);
    const Panel panel{begin, end, begin == 0, end == steps};
    PanelActivations<W>(w, rows.begin, panel, x, scratch + kRowSumBytes, part);
    const PanelWork<W> work{
        {w, panel}, panel.first, panel.last, part, reinterpret_cast<float*>(scratch), y, token};
    size_t row = rows.begin;
    for (; row < rows.end && row % kRowGroup != 0; ++row) AddSingle<W>(x.size(), work, row);
    for (; row + kRowGroup <= rows.end; row += kRowGroup) AddGroup<W>(x.size(), work, row);
    for (; row < rows.end; ++row) AddSingle<W>(x.size(), work, row);
  }
}

// Blocks of activation rows of about the same size, because each decodes the weights again.
template <class W>
void MultiplyRows(const WeightMatrix& w, Range range, std::span<const uint8_t* const> x,
                  const MatMulOutput& y, uint8_t* scratch) {
  const size_t blocks = (x.size() + kTokensAtOnce<W> - 1) / kTokensAtOnce<W>;
  for (size_t row = range.begin; row < range.end;) {
    const size_t end = std::min((row / kPanelRows + 1) * kPanelRows, range.end);
    for (size_t i = 0; i < blocks; ++i) {
      const size_t token = i * x.size() / blocks, last = (i + 1) * x.size() / blocks;
      MultiplyPanels<W>(w, {row, end}, x.subspan(token, last - token), token, y, scratch);
    }
    row = end;
  }
}

#endif  // HWY_HAVE_SCALABLE || HWY_TARGET_IS_SVE

}  // namespace cedar::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // include guard
