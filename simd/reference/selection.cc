#include "simd/reference/selection.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "simd/reference/arithmetic.h"
#include "simd/reference/quantise.h"

namespace cedar::simd::reference {

namespace {

// The dot product of two packed index rows, rounded to fp32.
float KeyDot(const uint8_t* a, const uint8_t* b, size_t dim) {
  double sum = 0;
  for (size_t block = 0; block < dim / kScaleBlock; ++block) {
    double part = 0;
    for (size_t i = block * kScaleBlock; i < (block + 1) * kScaleBlock; ++i) {
      part += Fp4Element(a, i) * Fp4Element(b, i);
    }
    sum += part * DecodeUe8m0(a[dim / 2 + block]) * DecodeUe8m0(b[dim / 2 + block]);
  }
  return static_cast<float>(sum);
}

float IndexScore(const uint8_t* queries, const float* w, size_t heads, size_t dim,
                 const uint8_t* key) {
  double sum = 0;
  for (size_t h = 0; h < heads; ++h) {
    const double dot = std::max(KeyDot(queries + h * IndexKeyBytes(dim), key, dim), 0.0f);
    sum += dot * w[h];
  }
  return static_cast<float>(sum);
}

// Keeps the order of floats; -0 and 0 are the same.
uint32_t Ordinal(float x) {
  const uint32_t bits = std::bit_cast<uint32_t>(x + 0.0f);
  return bits >> 31 ? ~bits : bits | 0x80000000u;
}

size_t CountFrom(const float* scores, size_t n, uint32_t threshold) {
  return std::count_if(scores, scores + n, [=](float s) { return Ordinal(s) >= threshold; });
}

// The largest ordinal that at least k scores reach, or the least above -infinity.
uint32_t Threshold(const float* scores, size_t n, size_t k) {
  uint32_t low = Ordinal(-std::numeric_limits<float>::infinity()) + 1, high = UINT32_MAX;
  while (low < high) {
    const uint32_t middle = high - (high - low) / 2;
    if (CountFrom(scores, n, middle) >= k) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low;
}

}  // namespace

void IndexScores(const uint8_t* queries, const float* w, size_t heads, size_t dim,
                 std::span<const uint8_t* const> keys, float* scores) {
  for (const uint8_t* key : keys) *scores++ = IndexScore(queries, w, heads, dim, key);
}

size_t TopK(const float* scores, size_t n, size_t k, int32_t* out) {
  if (k == 0) return 0;
  const uint32_t threshold = Threshold(scores, n, k);
  const size_t above = threshold == UINT32_MAX ? 0 : CountFrom(scores, n, threshold + 1);
  size_t ties = k - std::min(k, above), count = 0;
  for (size_t i = 0; i < n; ++i) {
    const uint32_t ordinal = Ordinal(scores[i]);
    if (ordinal < threshold || (ordinal == threshold && ties == 0)) continue;
    if (ordinal == threshold) --ties;
    out[count++] = static_cast<int32_t>(i);
  }
  return count;
}

void BlockMax(const float* scores, size_t n, size_t block, float* maxima) {
  for (size_t begin = 0; begin < n; begin += block) {
    *maxima++ = *std::max_element(scores + begin, scores + std::min(n, begin + block));
  }
}

}  // namespace cedar::simd::reference
