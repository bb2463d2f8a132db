#ifndef CEDAR_TESTS_SIMD_HARD_ROWS_H_
#define CEDAR_TESTS_SIMD_HARD_ROWS_H_

// Rows of activations to try kernels on, and bf16 rows as something that gtest can compare.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "simd/formats.h"

namespace cedar::simd {

using Row = std::vector<Bf16>;

inline std::vector<float> NormalFloats(std::mt19937& random, size_t n, float scale = 1) {
  std::normal_distribution<float> normal(0, scale);
  std::vector<float> x(n);
  for (float& v : x) v = normal(random);
  return x;
}

inline Row NormalRow(std::mt19937& random, size_t n, float scale = 1) {
  Row row;
  for (float v : NormalFloats(random, n, scale)) row.push_back(RoundToBf16(v));
  return row;
}

// Magnitudes of all sizes between 2^lowest and 2^highest, and now and then a zero of either sign.
inline Row WideRow(std::mt19937& random, size_t n, int lowest, int highest) {
  std::uniform_real_distribution<float> exponent(lowest, highest);
  Row row;
  for (size_t i = 0; i < n; ++i) {
    const float magnitude = random() % 16 == 0 ? 0 : std::exp2(exponent(random));
    row.push_back(RoundToBf16(random() % 2 == 0 ? magnitude : -magnitude));
  }
  return row;
}

inline Row ConstantRow(size_t n, float value) { return Row(n, RoundToBf16(value)); }

inline std::vector<uint16_t> Bits(const Row& row) {
  std::vector<uint16_t> bits;
  for (Bf16 v : row) bits.push_back(v.bits);
  return bits;
}

// The `n` channels from `begin` of each of the rows of `width` that lie in x.
template <class T>
std::vector<T> Columns(const std::vector<T>& x, size_t width, size_t begin, size_t n) {
  std::vector<T> columns;
  for (size_t row = 0; row < x.size() / width; ++row) {
    const auto first = x.begin() + static_cast<std::ptrdiff_t>(row * width + begin);
    columns.insert(columns.end(), first, first + static_cast<std::ptrdiff_t>(n));
  }
  return columns;
}

// The distance from |x| to the next larger bf16.
inline double Bf16Step(double x) {
  int exponent;
  std::frexp(x, &exponent);  // |x| in [2^(exponent - 1), 2^exponent)
  return std::ldexp(1.0, std::max(exponent, -125) - 8);
}

}  // namespace cedar::simd

#endif  // CEDAR_TESTS_SIMD_HARD_ROWS_H_
