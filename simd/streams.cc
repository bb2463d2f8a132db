#include "simd/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/streams.cc"
#include <hwy/foreach_target.h>
// After foreach_target.h.
#include <hwy/highway.h>

#include "simd/bf16-inl.h"
#include "simd/error.h"
#include "simd/fill.h"
#include "simd/reference/mixes.h"

HWY_BEFORE_NAMESPACE();
namespace cedar::simd::HWY_NAMESPACE {

// Only the squares are many; what follows is a handful of numbers for each token.
void MixFinish(const MixParameters& p, const double* dots, const Bf16* streams, float* pre,
               float* post, float* comb) {
  const size_t n = p.hc * p.hidden;
  const double mean_of_squares = SumOfSquares(streams, n) / static_cast<double>(n);
  reference::FinishMixes(p, dots, mean_of_squares, pre, post, comb);
}

void Collapse(const Bf16* streams, const float* pre, size_t hc, size_t hidden, Bf16* out) {
  const hn::ScalableTag<float> d;
  ForVectors(d, hidden, [&](size_t c, auto part) HWY_ATTR {
    auto sum = hn::Mul(hn::Set(d, pre[0]), LoadBf16(d, streams + c, part));
    for (size_t i = 1; i < hc; ++i) {
      sum = hn::MulAdd(hn::Set(d, pre[i]), LoadBf16(d, streams + i * hidden + c, part), sum);
    }
    StoreBf16(sum, d, out + c, part);
  });
}

// One vector of channels. All streams are read before one is written, and vectors cannot lie in an
// array on every target, so the old ones go through `old` [hc][lanes].
template <class D, class PartOfRow>
HWY_INLINE void ExpandVector(D d, const Bf16* y, const float* post, const float* comb, size_t hc,
                             size_t hidden, Bf16* streams, float* old, PartOfRow part) {
  const size_t lanes = hn::Lanes(d);
  for (size_t i = 0; i < hc; ++i) {
    hn::Store(LoadBf16(d, streams + i * hidden, part), d, old + i * lanes);
  }
  const auto added = LoadBf16(d, y, part);
  for (size_t j = 0; j < hc; ++j) {
    auto sum = hn::Mul(hn::Set(d, post[j]), added);
    for (size_t i = 0; i < hc; ++i) {
      sum = hn::MulAdd(hn::Set(d, comb[i * hc + j]), hn::Load(d, old + i * lanes), sum);
    }
    StoreBf16(sum, d, streams + j * hidden, part);
  }
}

void Expand(const Bf16* y, const float* post, const float* comb, size_t hc, size_t hidden,
            Bf16* streams) {
  CEDAR_CHECK(hc <= kMaxStreams);
  const hn::CappedTag<float, 16> d;
  HWY_ALIGN float old[kMaxStreams * 16];
  ForVectors(d, hidden, [&](size_t c, auto part) HWY_ATTR {
    ExpandVector(d, y + c, post, comb, hc, hidden, streams + c, old, part);
  });
}

}  // namespace cedar::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace cedar::simd {

HWY_EXPORT(MixFinish);
HWY_EXPORT(Collapse);
HWY_EXPORT(Expand);

void FillStreams(int64_t target, Kernels* kernels) {
  kernels->mix_finish = CEDAR_KERNEL(MixFinish, target);
  kernels->collapse = CEDAR_KERNEL(Collapse, target);
  kernels->expand = CEDAR_KERNEL(Expand, target);
}

}  // namespace cedar::simd

#endif  // HWY_ONCE
