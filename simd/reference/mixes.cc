#include "simd/reference/mixes.h"

#include <algorithm>
#include <cstring>

#include "simd/error.h"
#include "simd/reference/arithmetic.h"

namespace cedar::simd::reference {

namespace {

double FnElement(const WeightMatrix& fn, size_t index) {
  if (fn.format == Format::kF32) {
    float value;
    std::memcpy(&value, fn.data + index * sizeof(value), sizeof(value));
    return value;
  }
  CEDAR_CHECK(fn.format == Format::kBf16);
  Bf16 value;
  std::memcpy(&value, fn.data + index * sizeof(value), sizeof(value));
  return ToFloat(value);
}

// comb[i][:] = softmax(comb[i][:]) + eps
void SoftmaxRow(double* row, size_t hc, double eps) {
  const double largest = *std::max_element(row, row + hc);
  double sum = 0;
  for (size_t j = 0; j < hc; ++j) sum += row[j] = std::exp(row[j] - largest);
  for (size_t j = 0; j < hc; ++j) row[j] = row[j] / sum + eps;
}

// Divides `hc` values that lie `stride` apart by their sum + eps.
void Normalise(double* x, size_t hc, size_t stride, double eps) {
  double sum = 0;
  for (size_t i = 0; i < hc; ++i) sum += x[i * stride];
  for (size_t i = 0; i < hc; ++i) x[i * stride] /= sum + eps;
}

void Sinkhorn(const MixParameters& p, double* comb) {
  const size_t hc = p.hc;
  for (size_t i = 0; i < hc; ++i) SoftmaxRow(comb + i * hc, hc, p.hc_eps);
  for (size_t j = 0; j < hc; ++j) Normalise(comb + j, hc, hc, p.hc_eps);
  for (int iteration = 1; iteration < p.sinkhorn_iters; ++iteration) {
    for (size_t i = 0; i < hc; ++i) Normalise(comb + i * hc, hc, 1, p.hc_eps);
    for (size_t j = 0; j < hc; ++j) Normalise(comb + j, hc, hc, p.hc_eps);
  }
}

}  // namespace

void MixDots(const WeightMatrix& fn, Range range, std::span<const Bf16* const> streams,
             double* dots) {
  for (const Bf16* x : streams) {
    for (size_t j = range.begin; j < range.end; ++j) {
      double sum = 0;
      for (size_t k = 0; k < fn.cols; ++k) sum += ToFloat(x[k]) * FnElement(fn, j * fn.cols + k);
      dots[j] = sum;
    }
    dots += fn.rows;
  }
}

void FinishMixes(const MixParameters& p, const double* dots, double mean_of_squares, float* pre,
                 float* post, float* comb) {
  const size_t hc = p.hc;
  CEDAR_CHECK(hc <= kMaxStreams);
  const double rms = std::sqrt(mean_of_squares + p.norm_eps);
  const auto mix = [&](size_t j, size_t part) { return dots[j] / rms * p.scale[part] + p.base[j]; };
  for (size_t i = 0; i < hc; ++i) {
    pre[i] = static_cast<float>(Sigmoid(mix(i, 0)) + p.hc_eps);
    post[i] = static_cast<float>(2 * Sigmoid(mix(hc + i, 1)));
  }
  double mixed[kMaxStreams * kMaxStreams];
  for (size_t i = 0; i < hc * hc; ++i) mixed[i] = mix(2 * hc + i, 2);
  Sinkhorn(p, mixed);
  for (size_t i = 0; i < hc * hc; ++i) comb[i] = static_cast<float>(mixed[i]);
}

void MixFinish(const MixParameters& p, const double* dots, const Bf16* streams, float* pre,
               float* post, float* comb) {
  FinishMixes(p, dots, MeanOfSquares(streams, p.hc * p.hidden), pre, post, comb);
}

void Collapse(const Bf16* streams, const float* pre, size_t hc, size_t hidden, Bf16* out) {
  for (size_t c = 0; c < hidden; ++c) {
    double sum = 0;
    for (size_t i = 0; i < hc; ++i) {
      sum += static_cast<double>(pre[i]) * ToFloat(streams[i * hidden + c]);
    }
    out[c] = Bf16FromDouble(sum);
  }
}

void Expand(const Bf16* y, const float* post, const float* comb, size_t hc, size_t hidden,
            Bf16* streams) {
  CEDAR_CHECK(hc <= kMaxStreams);
  for (size_t c = 0; c < hidden; ++c) {
    double old[kMaxStreams];
    for (size_t i = 0; i < hc; ++i) old[i] = ToFloat(streams[i * hidden + c]);
    for (size_t j = 0; j < hc; ++j) {
      double sum = 0;
      for (size_t i = 0; i < hc; ++i) sum += comb[i * hc + j] * old[i];
      streams[j * hidden + c] = Bf16FromDouble(static_cast<double>(post[j]) * ToFloat(y[c]) + sum);
    }
  }
}

}  // namespace cedar::simd::reference
