// Sums of products of weights that are decoded in registers, right before they are used, for blocks
// of a few weight rows and activation rows. Included once for each Highway target, by kernel files
// only.
//
// The order of an element's sum (simd/kernels.h, Bits) is that of Step() and its loop. With scales,
// lanes of products are added up over one step from zero, in the order of the vectors; that, times
// the scale, is added to the element's lanes, step by step. Without, bf16 dot products are added to
// the element's lanes directly. At the end the lanes are added up by AddLanes(). Nothing of it
// depends on how many weight rows and activation rows a block has, nor on how columns are cut.

#if defined(CEDAR_SIMD_MATMUL_STEPS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef CEDAR_SIMD_MATMUL_STEPS_INL_H_
#undef CEDAR_SIMD_MATMUL_STEPS_INL_H_
#else
#define CEDAR_SIMD_MATMUL_STEPS_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "simd/decode-inl.h"
#include "simd/matmul_views.h"
#include "simd/matrix.h"
#include "simd/vectors-inl.h"

#if !HWY_HAVE_SCALABLE && !HWY_TARGET_IS_SVE

HWY_BEFORE_NAMESPACE();
namespace cedar::simd::HWY_NAMESPACE {

// Steps [begin, end) of weight rows.
struct Panel {
  size_t begin, end;
  bool first, last;
};

// Whether weights get their scales before they are multiplied.
template <class W>
inline constexpr bool kScalesWeights = requires {
  W::kScalesWeights;
};

// The unfinished last step of a weight row, padded with zeros: activations are packed that way too.
template <class W>
struct Tail {
  alignas(64) uint8_t weights[W::kStepBytes] = {};
  uint8_t scales[W::kStep / kScaleBlock] = {};

  void Fill(const uint8_t* w, const uint8_t* s, size_t channels) {
    std::memcpy(weights, w, channels * W::kStepBytes / W::kStep);
    if constexpr (W::kScaled || kScalesWeights<W>) {
      std::memcpy(scales, s, channels / kScaleBlock);
    }
  }
};

// Weight rows that follow each other are done in groups.
inline constexpr size_t kRowGroup = 4;

// ---- one step -----------------------------------------------------------------------------------

// Whether products are added to the sums directly.
template <class W>
inline constexpr bool kDirect = (CEDAR_BF16_DOTS && !W::kScaled) || kScalesWeights<W>;

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

template <class W, class Read, class Scale>
HWY_INLINE auto DirectWeight(const Read& read, [[maybe_unused]] const Scale& scale, size_t q) {
  if constexpr (kScalesWeights<W>) {
    return ScaledWeight<W>(read, scale, q);
  } else {
    return W::Weight(read, q);
  }
}

// One step added to the sums directly; scale(r) is that of a row's weights.
template <class W, size_t kRows, size_t kTokens, class ScaleOfRow>
HWY_INLINE void DirectStep(const uint8_t* const (&weights)[kRows], const uint8_t* const* x,
                           size_t x_offset, const ScaleOfRow& scale, VF (&sum)[kRows][kTokens]) {
  constexpr size_t kVectors = W::Vectors();
  decltype(W::Read(nullptr)) read[kRows];
  decltype(scale(0)) scales[kRows];
  HWY_UNROLL(8)
  for (size_t r = 0; r < kRows; ++r) {
    read[r] = W::Read(weights[r]);
    scales[r] = scale(r);
  }
  HWY_UNROLL(8)
  for (size_t q = 0; q < kVectors; ++q) {
    decltype(W::Activation(nullptr, 0)) activation[kTokens];
    HWY_UNROLL(8)
    for (size_t m = 0; m < kTokens; ++m) {
      activation[m] = Kept(W::Activation(x[m] + x_offset, q));
    }
    HWY_UNROLL(8)
    for (size_t r = 0; r < kRows; ++r) {
      const auto weight = DirectWeight<W>(read[r], scales[r], q);
      HWY_UNROLL(8)
      for (size_t m = 0; m < kTokens; ++m) {
        sum[r][m] = AddProducts(weight, activation[m], sum[r][m]);
      }
    }
  }
}

// The products of one step, then times scale(r), that of a row's lanes, added to the sums.
template <class W, size_t kRows, size_t kTokens, class ScaleOfRow>
HWY_INLINE void IndirectStep(const uint8_t* const (&weights)[kRows], const uint8_t* const* x,
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

// One step added to the sums.
template <class W, size_t kRows, size_t kTokens, class ScaleOfRow>
HWY_INLINE void Step(const uint8_t* const (&weights)[kRows], const uint8_t* const* x,
                     size_t x_offset, const ScaleOfRow& scale, VF (&sum)[kRows][kTokens]) {
  if constexpr (kDirect<W>) {
    DirectStep<W>(weights, x, x_offset, scale, sum);
  } else {
    IndirectStep<W>(weights, x, x_offset, scale, sum);
  }
}

// ---- steps --------------------------------------------------------------------------------------

// Memory is asked for weights this far ahead, in the order in which they will be needed, and to put
// them into the L2 cache, which can wait for many more lines at a time than the L1 cache can: of
// the speed of plain reads (31 GB/s on Zen 4) one row of FP4 reached 0.65 with prefetches into L1,
// whatever the distance, and 0.82 so.
inline constexpr size_t kPrefetchBytes = 16384;

// One activation row leaves no time to wait for the L2 cache either. On Zen 4 the L1 cache is
// asked, in the order of addresses, for weights this far ahead of the first row of a block: FP8
// 0.82 -> 0.94, FP4 0.82 -> 0.85 of plain reads; more activation rows lose by it. One row of BF16
// has so little to do that the CPU's own prefetching keeps up with its one stream: requests to the
// L2 cache only compete with that (0.89 -> 1.00 without; AVX2 0.82 -> 0.97).
template <class W>
inline constexpr bool kBf16 = std::is_same_v<W, Bf16Weights>;
template <class W>
inline constexpr size_t kNearBytes = kBf16<W> ? 1024 : 2048;
template <class W, size_t kTokens>
inline constexpr bool kAsksL1 =
    CEDAR_BF16_DOTS != 0 && kTokens == 1 && !std::is_same_v<W, F32Weights>;
template <class W, size_t kTokens>
inline constexpr bool kAsksL2 = kTokens > 1 || !kBf16<W>;

// A panel of weight rows that a block is a part of.
template <class W>
struct WeightPanel {
  const WeightMatrix& w;
  const uint8_t* weights;  // of row 0
  size_t scale_offset;     // in a row of scales
  size_t row_bytes;
  size_t steps;  // whole ones
  size_t rest;   // channels of an unfinished last one
  bool whole;    // all of the row
  size_t ahead;  // rows from a block to the one whose steps are prefetched meanwhile

  WeightPanel(const WeightMatrix& w, const Panel& panel)
      : w(w),
        weights(w.data + panel.begin * W::kStepBytes),
        scale_offset(panel.begin * (W::kStep / kScaleBlock)),
        row_bytes(w.cols * W::kStepBytes / W::kStep),
        steps(std::min(panel.end, w.cols / W::kStep) - panel.begin),
        rest(panel.last ? w.cols % W::kStep : 0),
        whole(panel.first && panel.last) {
    const size_t panel_bytes = (panel.end - panel.begin) * W::kStepBytes;
    ahead = (kPrefetchBytes / panel_bytes / kRowGroup + 1) * kRowGroup;
  }
};

// Where a block is in its rows.
template <class W, size_t kRows>
struct RowCursor {
  const uint8_t *weights[kRows], *scales[kRows];
  size_t x_offset = 0;  // of the packed activations
  // What is prefetched: a step of each row of a later block or, of whole rows, as many bytes in the
  // order of addresses, because memory is read fastest in one stream.
  const uint8_t *ahead, *near;
  size_t ahead_stride, ahead_step;

  RowCursor(const WeightPanel<W>& p, size_t row)
      : ahead(p.weights + (row + p.ahead) * p.row_bytes),
        near(p.weights + row * p.row_bytes + kNearBytes<W>),
        ahead_stride(p.whole ? W::kStepBytes : p.row_bytes),
        ahead_step(p.whole ? kRows * W::kStepBytes : W::kStepBytes) {
    HWY_UNROLL(8)
    for (size_t r = 0; r < kRows; ++r) {
      weights[r] = p.weights + (row + r) * p.row_bytes;
      scales[r] = ScaleRow(p.w, row + r) + p.scale_offset;
    }
  }

  template <size_t kTokens>
  HWY_INLINE void Prefetch() const {
    if constexpr (CEDAR_BF16_DOTS) {
      HWY_UNROLL(8)
      for (size_t r = 0; r < kRows; ++r) PrefetchBytes<kTokens>(r * ahead_stride, W::kStepBytes);
    } else {  // rows are always whole
      PrefetchBytes<kTokens>(0, kRows * W::kStepBytes);
    }
  }
  template <size_t kTokens>
  HWY_INLINE void PrefetchBytes(size_t first, size_t bytes) const {
    HWY_UNROLL(8)
    for (size_t at = first; at < first + bytes; at += 64) {
      if constexpr (kAsksL2<W, kTokens>) PrefetchToL2(ahead + at);
      if constexpr (kAsksL1<W, kTokens>) PrefetchToL1(near + at);
    }
  }
  HWY_INLINE void NextStep() {
    HWY_UNROLL(8)
    for (size_t r = 0; r < kRows; ++r) weights[r] += W::kStepBytes;
    x_offset += W::kActivationBytes;
    ahead += ahead_step;
    near += ahead_step;
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
    at.template Prefetch<kTokens>();
    const auto scale = [&](size_t r) HWY_ATTR { return W::GroupScale(scales[r], i); };
    Step<W, kRows, kTokens>(at.weights, x, at.x_offset, scale, sum);
    at.NextStep();
  }
}

// Adds a panel of the weight rows from `row` on times the packed activation rows x[0..kTokens),
// whose first byte is that of the panel, to the sums, lane by lane.
template <class W, size_t kRows, size_t kTokens>
HWY_INLINE void SumLanes(const WeightPanel<W>& panel, size_t row, const uint8_t* const* x,
                         VF (&sum)[kRows][kTokens]) {
  RowCursor<W, kRows> at(panel, row);
  const auto scale = [&](size_t r) HWY_ATTR {
    if constexpr (W::kScaled) {
      return W::Scale(at.scales[r]);
    } else if constexpr (kScalesWeights<W>) {
      return WeightScale<W>(at.scales[r]);
    } else {
      return 0;
    }
  };
  size_t steps = panel.steps;
  if constexpr (W::kGroup > 1) {
    for (; steps >= W::kGroup; steps -= W::kGroup) Group<W, kRows, kTokens>(at, x, sum);
  }
  for (; steps > 0; --steps) {
    at.template Prefetch<kTokens>();
    Step<W, kRows, kTokens>(at.weights, x, at.x_offset, scale, sum);
    at.NextStep();
    at.SkipScales(1);
  }
  if (panel.rest != 0) {
    Tail<W> tails[kRows];
    for (size_t r = 0; r < kRows; ++r) {
      tails[r].Fill(at.weights[r], at.scales[r], panel.rest);
      at.weights[r] = tails[r].weights;
      at.scales[r] = tails[r].scales;
    }
    Step<W, kRows, kTokens>(at.weights, x, at.x_offset, scale, sum);
  }
}

}  // namespace cedar::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // !HWY_HAVE_SCALABLE && !HWY_TARGET_IS_SVE

#endif  // include guard
