#ifndef CEDAR_SIMD_REFERENCE_ARITHMETIC_H_
#define CEDAR_SIMD_REFERENCE_ARITHMETIC_H_

// What the reference kernels share. A double becomes bf16 by way of fp32, as in the oracle.

#include <cmath>

#include "simd/formats.h"

namespace cedar::simd::reference {

inline Bf16 Bf16FromDouble(double x) { return RoundToBf16(static_cast<float>(x)); }

inline double Sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

inline double MeanOfSquares(const Bf16* x, size_t n) {
  double sum = 0;
  for (size_t i = 0; i < n; ++i) sum += static_cast<double>(ToFloat(x[i])) * ToFloat(x[i]);
  return sum / static_cast<double>(n);
}

}  // namespace cedar::simd::reference

#endif  // CEDAR_SIMD_REFERENCE_ARITHMETIC_H_
