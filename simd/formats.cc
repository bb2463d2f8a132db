#include "simd/formats.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace cedar {

namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

// These are on the path of every value that the reference kernels read and write: no calls of the
// mathematical library.
constexpr double PowerOfTwo(int exponent) {  // in the range of normal doubles
  return std::bit_cast<double>(static_cast<uint64_t>(exponent + 1023) << 52);
}
int Exponent(double x) {  // of positive x; very low for 0 and subnormals
  return static_cast<int>(std::bit_cast<uint64_t>(x) >> 52) - 1023;
}

// |x| rounded to a small float of `mantissa_bits` whose smallest normal exponent is `min_exponent`.
double RoundMagnitude(double x, int mantissa_bits, int min_exponent, double limit) {
  x = std::min(std::fabs(x), limit);
  const int step = std::max(Exponent(x), min_exponent) - mantissa_bits;
  return std::min(std::nearbyint(x * PowerOfTwo(-step)) * PowerOfTwo(step), limit);
}

}  // namespace

float DecodeE4m3(uint8_t code) {
  const uint32_t exponent = (code >> 3) & 15, mantissa = code & 7;
  if ((code & 0x7F) == 0x7F) return kNan;
  const float magnitude = exponent == 0
                              ? static_cast<float>(mantissa) * 0x1p-9f
                              : std::bit_cast<float>((exponent + 120) << 23 | mantissa << 20);
  return code & 0x80 ? -magnitude : magnitude;
}

uint8_t EncodeE4m3(double x) {
  const double magnitude = RoundMagnitude(x, 3, -6, kFp8Max);
  const uint8_t sign = std::signbit(x) ? 0x80 : 0;
  // Below 2^-6 the code counts steps of 2^-9; 2^-6 itself comes out as the first normal code.
  if (magnitude <= 0x1p-6) return sign | static_cast<uint8_t>(magnitude * 0x1p9);
  const int exponent = Exponent(magnitude);
  const int mantissa = static_cast<int>(magnitude * PowerOfTwo(3 - exponent)) - 8;
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

float DecodeUe8m0(uint8_t code) {
  if (code == 255) return kNan;
  return std::bit_cast<float>(code == 0 ? 0x400000u : static_cast<uint32_t>(code) << 23);
}

int CeilLog2(float x) {
  const uint32_t bits = std::bit_cast<uint32_t>(x);
  return static_cast<int>(bits >> 23) - 127 + ((bits & 0x7FFFFF) != 0);
}

}  // namespace cedar
