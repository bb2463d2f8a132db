#include "simd/reference/engram.h"

#include <algorithm>

#include "simd/reference/arithmetic.h"

namespace cedar::simd::reference {

namespace {

// How much of the value stream `x` takes, given its key; all [hidden].
double Gate(const Bf16* x, const Bf16* key, const double* qk_weight, size_t hidden, double eps) {
  double dot = 0;
  for (size_t c = 0; c < hidden; ++c) dot += ToFloat(x[c]) * qk_weight[c] * ToFloat(key[c]);
  const double squares = (MeanOfSquares(x, hidden) + eps) * (MeanOfSquares(key, hidden) + eps);
  dot = dot / std::sqrt(squares) * std::pow(static_cast<double>(hidden), -0.5);
  return Sigmoid(std::copysign(std::sqrt(std::max(std::fabs(dot), 1e-6)), dot));
}

}  // namespace

void DecodeEngramRow(const uint8_t* codes, const uint8_t* scales, size_t n, Bf16* out) {
  for (size_t i = 0; i < n; ++i) {
    out[i] = RoundToBf16(DecodeE4m3(codes[i]) * DecodeUe8m0(scales[i / kScaleBlock]));
  }
}

void EngramGate(const Bf16* kv, const double* qk_weight, size_t hc, size_t hidden, double eps,
                Bf16* streams) {
  const Bf16* value = kv + hc * hidden;
  for (size_t j = 0; j < hc; ++j) {
    Bf16* x = streams + j * hidden;
    const double gate = Gate(x, kv + j * hidden, qk_weight + j * hidden, hidden, eps);
    for (size_t c = 0; c < hidden; ++c) {
      x[c] = Bf16FromDouble(ToFloat(x[c]) + gate * ToFloat(value[c]));
    }
  }
}

}  // namespace cedar::simd::reference
