#include "simd/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/moe_rows.cc"
#include <hwy/foreach_target.h>
// After foreach_target.h.
#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

#include <algorithm>
#include <limits>

#include "simd/bf16-inl.h"
#include "simd/fill.h"

HWY_BEFORE_NAMESPACE();
namespace cedar::simd::HWY_NAMESPACE {

// ---- router
// --------------------------------------------------------------------------------------

inline constexpr size_t kScoresAtOnce = 64;

// scores[i] = fp32 sqrt(log(1 + exp(logits[i]))), in double, without overflow.
void Scores(const float* logits, size_t n, float* scores) {
  const hn::ScalableTag<double> d;
  const hn::Rebind<float, decltype(d)> d32;
  ForVectors(d, n, [&](size_t i, auto part) HWY_ATTR {
    const auto x = LoadFloats(d, logits + i, part);
    const auto small = hn::Log1p(d, hn::Exp(d, hn::Neg(hn::Abs(x))));
    const auto softplus = hn::Add(hn::Max(x, hn::Zero(d)), small);
    StorePart(hn::DemoteTo(d32, hn::Sqrt(softplus)), d32, scores + i, part);
  });
}

// The best experts seen so far, best first. Experts come in ascending order, so one that merely
// equals another stays behind it.
struct Best {
  const float* bias;
  size_t capacity;
  int32_t* ids;
  float* scores;
  size_t count = 0;

  float Rank(size_t i) const { return scores[i] + bias[ids[i]]; }

  void Offer(int32_t id, float score) {
    const float rank = score + bias[id];
    if (count == capacity && !(rank > Rank(count - 1))) return;
    size_t i = count < capacity ? count++ : count - 1;
    for (; i > 0 && rank > Rank(i - 1); --i) {
      ids[i] = ids[i - 1];
      scores[i] = scores[i - 1];
    }
    ids[i] = id;
    scores[i] = score;
  }
};

// Scores to routing weights.
void Weigh(const RouteParameters& p, float* weights) {
  double divisor = 1;
  if (p.normalise && p.count > 1) {
    double sum = 0;
    for (size_t i = 0; i < p.count; ++i) sum += weights[i];
    divisor = sum + 1e-20;
  }
  for (size_t i = 0; i < p.count; ++i) {
    weights[i] = static_cast<float>(weights[i] / divisor * p.scaling);
  }
}

void Route(const RouteParameters& p, const float* logits, int32_t* ids, float* weights) {
  Best best{p.bias, p.count, ids, weights};
  float scores[kScoresAtOnce];
  for (size_t begin = 0; begin < p.experts; begin += kScoresAtOnce) {
    const size_t n = std::min(kScoresAtOnce, p.experts - begin);
    Scores(logits + begin, n, scores);
    for (size_t i = 0; i < n; ++i) best.Offer(static_cast<int32_t>(begin + i), scores[i]);
  }
  Weigh(p, weights);
}

// ---- experts
// -------------------------------------------------------------------------------------

// x * sigmoid(x) with an exponential that cannot overflow.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V Silu(D d, V x) {
  const auto one = hn::Set(d, 1.0f);
  const auto e = hn::Exp(d, hn::Neg(hn::Abs(x)));
  const auto numerator = hn::IfThenElse(hn::Lt(x, hn::Zero(d)), e, one);
  return hn::Mul(x, hn::Div(numerator, hn::Add(one, e)));
}

void Swiglu(const Bf16* gate, const Bf16* up, size_t n, float limit, const float* weight,
            Bf16* out) {
  const hn::ScalableTag<float> d;
  const float bound = limit > 0 ? limit : std::numeric_limits<float>::infinity();
  const auto top = hn::Set(d, bound), bottom = hn::Set(d, -bound);
  const auto factor = hn::Set(d, weight == nullptr ? 1.0f : *weight);
  ForVectors(d, n, [&](size_t c, auto part) HWY_ATTR {
    const auto g = hn::Min(LoadBf16(d, gate + c, part), top);
    const auto u = hn::Max(hn::Min(LoadBf16(d, up + c, part), top), bottom);
    StoreBf16(hn::Mul(hn::Mul(Silu(d, g), u), factor), d, out + c, part);
  });
}

void SumRows(const Bf16* const* parts, size_t count, size_t n, Bf16* out) {
  const hn::ScalableTag<float> d;
  ForVectors(d, n, [&](size_t c, auto part) HWY_ATTR {
    auto sum = hn::Zero(d);
    for (size_t i = 0; i < count; ++i) sum = hn::Add(sum, LoadBf16(d, parts[i] + c, part));
    StoreBf16(sum, d, out + c, part);
  });
}

}  // namespace cedar::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace cedar::simd {

HWY_EXPORT(Route);
HWY_EXPORT(Swiglu);
HWY_EXPORT(SumRows);

void FillMoeRows(int64_t target, Kernels* kernels) {
  kernels->route = CEDAR_KERNEL(Route, target);
  kernels->swiglu = CEDAR_KERNEL(Swiglu, target);
  kernels->sum_rows = CEDAR_KERNEL(SumRows, target);
}

}  // namespace cedar::simd

#endif  // HWY_ONCE
