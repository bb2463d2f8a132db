#include "simd/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/mix_dots.cc"
#include <hwy/foreach_target.h>
// After foreach_target.h.
#include <hwy/highway.h>

#include <algorithm>

#include "simd/bf16-inl.h"
#include "simd/error.h"
#include "simd/fill.h"
#include "simd/matmul_views.h"
#include "simd/vectors-inl.h"

// Dot products of the streams of some tokens with a few long rows of fn, which are too many bytes
// for the inner caches: panels of all rows stay there while all tokens pass by. A single token
// reads row after row instead, in one ascending stream.
//
// The order of an element's sum (simd/kernels.h, Bits): vector after vector of a panel, all into
// the same fp32 lanes; the lanes of each panel are added up, and panel after panel in double.

HWY_BEFORE_NAMESPACE();
namespace cedar::simd::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Widths are multiples of 32, so vectors are always whole.
using MixTag = hn::CappedTag<float, 16>;
using MixVector = hn::Vec<MixTag>;

constexpr size_t kPanel = 1024;          // channels: four rows of fp32 fill half of an L1 cache
constexpr size_t kRowsTogether = 4;      // in AddPanel()
constexpr size_t kTokensTogether = 2;    // in AddPanel()
constexpr size_t kPrefetchBytes = 8192;  // ahead of one token, into the L2 cache

// A vector of weights at any address.
HWY_INLINE MixVector LoadF32Bytes(const uint8_t* p) {
  return hn::BitCast(MixTag(), hn::LoadU(hn::Repartition<uint8_t, MixTag>(), p));
}
HWY_INLINE MixVector LoadBf16Bytes(const uint8_t* p) {
  const hn::Rebind<uint16_t, MixTag> d16;
  const hn::RebindToUnsigned<MixTag> du;
  const auto bits = hn::BitCast(d16, hn::LoadU(hn::Repartition<uint8_t, decltype(d16)>(), p));
  return hn::BitCast(MixTag(), hn::ShiftLeft<16>(hn::PromoteTo(du, bits)));
}

// Channels [k, k + n) of rows from `row` on, as fp32 and aligned: tile is [rows][kPanel].
void DecodeTile(const WeightMatrix& fn, size_t row, size_t rows, size_t k, size_t n, float* tile) {
  const MixTag d;
  const size_t bytes = RowBytes(fn.format, 1);
  for (size_t r = 0; r < rows; ++r, tile += kPanel) {
    const uint8_t* from = WeightRow(fn, row + r) + k * bytes;
    for (size_t c = 0; c < n; c += hn::Lanes(d), from += hn::Lanes(d) * bytes) {
      PrefetchToL2(from + kPrefetchBytes);
      const auto v = fn.format == Format::kF32 ? LoadF32Bytes(from) : LoadBf16Bytes(from);
      hn::Store(v, d, tile + c);
    }
  }
}

// Adds the products of `n` channels of kRows rows and kTokens tokens: dots[t][r] += sum over k of
// tile[r][k] * streams[t][k].
template <size_t kRows, size_t kTokens>
HWY_INLINE void AddPanel(const float* HWY_RESTRICT tile, const Bf16* const* streams, size_t n,
                         double* const* dots) {
  const MixTag d;
  const Bf16 *first = streams[0], *second = streams[kTokens - 1];
  auto a0 = hn::Zero(d), a1 = hn::Zero(d), b0 = hn::Zero(d), b1 = hn::Zero(d);
  auto c0 = hn::Zero(d), c1 = hn::Zero(d), d0 = hn::Zero(d), d1 = hn::Zero(d);
  for (size_t k = 0; k < n; k += hn::Lanes(d)) {
    const auto x0 = LoadBf16(d, first + k, Whole()), x1 = LoadBf16(d, second + k, Whole());
    const auto add = [&](size_t row, MixVector& sum0, MixVector& sum1) HWY_ATTR {
      if (row >= kRows) return;
      const auto w = hn::Load(d, tile + row * kPanel + k);
      sum0 = hn::MulAdd(w, x0, sum0);
      if (kTokens > 1) sum1 = hn::MulAdd(w, x1, sum1);
    };
    add(0, a0, a1);
    add(1, b0, b1);
    add(2, c0, c1);
    add(3, d0, d1);
  }
  const auto put = [&](size_t row, MixVector sum0, MixVector sum1) HWY_ATTR {
    if (row >= kRows) return;
    dots[0][row] += hn::ReduceSum(d, sum0);
    if (kTokens > 1) dots[1][row] += hn::ReduceSum(d, sum1);
  };
  put(0, a0, a1);
  put(1, b0, b1);
  put(2, c0, c1);
  put(3, d0, d1);
}

// What a call is about.
struct MixWork {
  const WeightMatrix& fn;
  std::span<const Bf16* const> streams;
  double* dots;  // [tokens][fn.rows]
};

// Channels [k, k + n) of kRows rows from `row` on, for all tokens.
template <size_t kRows>
void AddRows(const MixWork& work, size_t row, size_t k, size_t n) {
  HWY_ALIGN float tile[kRows * kPanel];
  DecodeTile(work.fn, row, kRows, k, n, tile);
  const Bf16* streams[kTokensTogether];
  double* dots[kTokensTogether];
  const auto take = [&](size_t token, size_t count) {
    for (size_t t = 0; t < count; ++t) {
      streams[t] = work.streams[token + t] + k;
      dots[t] = work.dots + (token + t) * work.fn.rows + row;
    }
  };
  size_t token = 0;
  for (; token + kTokensTogether <= work.streams.size(); token += kTokensTogether) {
    take(token, kTokensTogether);
    AddPanel<kRows, kTokensTogether>(tile, streams, n, dots);
  }
  if (token < work.streams.size()) {
    take(token, 1);
    AddPanel<kRows, 1>(tile, streams, n, dots);
  }
}

void MixDots(const WeightMatrix& fn, Range range, std::span<const Bf16* const> streams,
             double* dots) {
  CEDAR_CHECK(fn.format == Format::kF32 || fn.format == Format::kBf16);
  for (size_t t = 0; t < streams.size(); ++t) {
    std::fill(dots + t * fn.rows + range.begin, dots + t * fn.rows + range.end, 0.0);
  }
  const MixWork work{fn, streams, dots};
  const size_t rows_at_a_time = streams.size() == 1 ? 1 : range.size();
  for (size_t first = range.begin; first < range.end; first += rows_at_a_time) {
    const size_t end = first + rows_at_a_time;
    for (size_t k = 0; k < fn.cols; k += kPanel) {
      const size_t n = std::min(kPanel, fn.cols - k);
      size_t row = first;
      for (; row + kRowsTogether <= end; row += kRowsTogether) {
        AddRows<kRowsTogether>(work, row, k, n);
      }
      for (; row < end; ++row) AddRows<1>(work, row, k, n);
    }
  }
}

}  // namespace cedar::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace cedar::simd {

HWY_EXPORT(MixDots);

void FillMixDots(int64_t target, Kernels* kernels) {
  kernels->mix_dots = CEDAR_KERNEL(MixDots, target);
}

}  // namespace cedar::simd

#endif  // HWY_ONCE
