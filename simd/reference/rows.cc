#include "simd/reference/rows.h"

#include <algorithm>

#include "simd/reference/arithmetic.h"
#include "simd/reference/quantise.h"

namespace cedar::simd::reference {

namespace {

void StorePairs(const Bf16* x, size_t n, float scale, uint8_t* pairs) {
  for (size_t i = 0; i < n; i += 2) {
    // fp32 quotients: with an E4M3 scale a product with the reciprocal would move exact ties.
    const uint8_t even = EncodeE2m1(ToFloat(x[i]) / scale);
    const uint8_t odd = EncodeE2m1(ToFloat(x[i + 1]) / scale);
    pairs[i / 2] = static_cast<uint8_t>(even | odd << 4);
  }
}

}  // namespace

void RmsNorm(const Bf16* x, const float* weight, size_t n, double eps, Bf16* out) {
  const double rms = std::sqrt(MeanOfSquares(x, n) + eps);
  for (size_t i = 0; i < n; ++i) out[i] = Bf16FromDouble(ToFloat(x[i]) / rms * weight[i]);
}

void Rope(Bf16* x, size_t count, size_t dim, size_t rope_dim, const float* cos, const float* sin,
          bool inverse) {
  for (size_t v = 0; v < count; ++v) {
    Bf16* pairs = x + v * dim + dim - rope_dim;
    for (size_t i = 0; i < rope_dim / 2; ++i) {
      const double a = ToFloat(pairs[2 * i]), b = ToFloat(pairs[2 * i + 1]);
      const double c = cos[i], s = inverse ? -sin[i] : sin[i];
      pairs[2 * i] = Bf16FromDouble(a * c - b * s);
      pairs[2 * i + 1] = Bf16FromDouble(a * s + b * c);
    }
  }
}

void StoreWindowRow(const Bf16* x, size_t n, uint8_t* row) {
  for (size_t block = 0; block < n / kScaleBlock; ++block) {
    const size_t begin = block * kScaleBlock;
    const int exponent = Fp8ScaleExponent(x + begin);
    row[n + block] = static_cast<uint8_t>(exponent + 127);
    for (size_t i = begin; i < begin + kScaleBlock; ++i) {
      row[i] = EncodeE4m3(std::ldexp(static_cast<double>(ToFloat(x[i])), -exponent));
    }
  }
}

void StoreCompressedRow(const Bf16* x, size_t n, uint8_t* row) {
  for (size_t block = 0; block < n / kCompressedBlock; ++block) {
    const size_t begin = block * kCompressedBlock;
    const float scale = Fp4ScaleE4m3(x + begin);
    row[n / 2 + block] = EncodeE4m3(scale);
    StorePairs(x + begin, kCompressedBlock, scale, row + begin / 2);
  }
}

void StoreIndexKey(const Bf16* x, size_t n, uint8_t* row) {
  for (size_t block = 0; block < n / kScaleBlock; ++block) {
    const size_t begin = block * kScaleBlock;
    const int exponent = Fp4ScaleExponent(x + begin);
    row[n / 2 + block] = static_cast<uint8_t>(exponent + 127);
    StorePairs(x + begin, kScaleBlock, std::ldexp(1.0f, exponent), row + begin / 2);
  }
}

void Pool(const float* const* kv, const float* const* gate, size_t ratio, size_t n, Bf16* out) {
  for (size_t c = 0; c < n; ++c) {
    double largest = gate[0][c], total = 0, sum = 0;
    for (size_t t = 1; t < ratio; ++t) largest = std::max<double>(largest, gate[t][c]);
    for (size_t t = 0; t < ratio; ++t) total += std::exp(gate[t][c] - largest);
    for (size_t t = 0; t < ratio; ++t) sum += kv[t][c] * std::exp(gate[t][c] - largest) / total;
    out[c] = Bf16FromDouble(sum);
  }
}

}  // namespace cedar::simd::reference
