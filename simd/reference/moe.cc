#include "simd/reference/moe.h"

#include <algorithm>

#include "simd/reference/arithmetic.h"

namespace cedar::simd::reference {

namespace {

// log(1 + exp(x)) without overflow.
double Softplus(double x) { return std::max(x, 0.0) + std::log1p(std::exp(-std::fabs(x))); }

float Score(float logit) {
  return static_cast<float>(std::sqrt(Softplus(static_cast<double>(logit))));
}

bool Contains(const int32_t* ids, size_t count, size_t id) {
  return std::find(ids, ids + count, static_cast<int32_t>(id)) != ids + count;
}

// The expert with the largest score + bias (an fp32 sum) that is not yet in ids; the lower at ties.
int32_t NextBest(const RouteParameters& p, const float* logits, const int32_t* ids, size_t count) {
  int32_t best = -1;
  float best_score = 0;
  for (size_t e = 0; e < p.experts; ++e) {
    const float score = Score(logits[e]) + p.bias[e];
    if ((best < 0 || score > best_score) && !Contains(ids, count, e)) {
      best = static_cast<int32_t>(e);
      best_score = score;
    }
  }
  return best;
}

}  // namespace

void Route(const RouteParameters& p, const float* logits, int32_t* ids, float* weights) {
  double sum = 0;
  for (size_t i = 0; i < p.count; ++i) {
    ids[i] = NextBest(p, logits, ids, i);
    sum += weights[i] = Score(logits[ids[i]]);
  }
  const double divisor = p.normalise && p.count > 1 ? sum + 1e-20 : 1;
  for (size_t i = 0; i < p.count; ++i) {
    weights[i] = static_cast<float>(weights[i] / divisor * p.scaling);
  }
}

void Swiglu(const Bf16* gate, const Bf16* up, size_t n, float limit, const float* weight,
            Bf16* out) {
  for (size_t c = 0; c < n; ++c) {
    double g = ToFloat(gate[c]), u = ToFloat(up[c]);
    if (limit > 0) {
      g = std::min<double>(g, limit);
      u = std::clamp<double>(u, -limit, limit);
    }
    const float y = static_cast<float>(g * Sigmoid(g) * u);
    out[c] = RoundToBf16(weight == nullptr ? y : y * *weight);
  }
}

void SumRows(const Bf16* const* parts, size_t count, size_t n, Bf16* out) {
  for (size_t c = 0; c < n; ++c) {
    double sum = 0;
    for (size_t i = 0; i < count; ++i) sum += ToFloat(parts[i][c]);
    out[c] = Bf16FromDouble(sum);
  }
}

}  // namespace cedar::simd::reference
