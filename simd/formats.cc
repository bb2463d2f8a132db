#include "simd/formats.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace cedar {

namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

// |x| rounded to a small float of `mantissa_bits` whose smallest normal exponent is `min_exponent`.
double RoundMagnitude(double x, int mantissa_bits, int min_exponent, double limit) {
  x = std::min(std::fabs(x), limit);
  int exponent;  // x = m * 2^exponent with m in [.5, 1)
  std::frexp(x, &exponent);
  const double step = std::ldexp(1.0, std::max(exponent - 1, min_exponent) - mantissa_bits);
  return std::min(std::nearbyint(x / step) * step, limit);
}

}  // namespace

float DecodeE4m3(uint8_t code) {
  const int exponent = (code >> 3) & 15, mantissa = code & 7;
  if ((code & 0x7F) == 0x7F) return kNan;
  const float magnitude = exponent == 0
                              ? std::ldexp(static_cast<float>(mantissa), -9)
                              : std::ldexp(static_cast<float>(8 + mantissa), exponent - 10);
  return code & 0x80 ? -magnitude : magnitude;
}

uint8_t EncodeE4m3(double x) {
  const double magnitude = RoundMagnitude(x, 3, -6, kFp8Max);
  const uint8_t sign = std::signbit(x) ? 0x80 : 0;
  // Below 2^-6 the code counts steps of 2^-9; 2^-6 itself comes out as the first normal code.
  if (magnitude <= std::ldexp(1.0, -6))
    return sign | static_cast<uint8_t>(std::ldexp(magnitude, 9));
  const int exponent = std::ilogb(magnitude);
  const int mantissa = static_cast<int>(std::ldexp(magnitude, 3 - exponent)) - 8;
  return sign | static_cast<uint8_t>(((exponent + 7) << 3) | mantissa);
}

float DecodeE2m1(uint8_t nibble) {
  static constexpr float kMagnitudes[8] = {0, .5f, 1, 1.5f, 2, 3, 4, 6};
  const float magnitude = kMagnitudes[nibble & 7];
  return nibble & 8 ? -magnitude : magnitude;
}

uint8_t EncodeE2m1(double x) {
  const double magnitude = RoundMagnitude(x, 1, 0, kFp4Max);
  const uint8_t sign = std::signbit(x) ? 8 : 0;
  if (magnitude <= 2) return sign | static_cast<uint8_t>(2 * magnitude);
  return sign | static_cast<uint8_t>(magnitude == 3 ? 5 : magnitude == 4 ? 6 : 7);
}

float DecodeUe8m0(uint8_t code) { return code == 255 ? kNan : std::ldexp(1.0f, code - 127); }

int CeilLog2(float x) {
  const uint32_t bits = std::bit_cast<uint32_t>(x);
  return static_cast<int>(bits >> 23) - 127 + ((bits & 0x7FFFFF) != 0);
}

}  // namespace cedar
