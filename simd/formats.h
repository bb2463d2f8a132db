#ifndef CEDAR_SIMD_FORMATS_H_
#define CEDAR_SIMD_FORMATS_H_

// The number formats of the released checkpoint as plain scalar code (model.md, Number formats).
//
//   bf16   the upper half of an fp32
//   E4M3   FP8: sign, 4 exponent bits (bias 7), 3 mantissa bits; largest 448, no infinities
//   E2M1   FP4: 0, .5, 1, 1.5, 2, 3, 4, 6 and their negatives; two to a byte, even element low
//   UE8M0  a scale: one byte, value 2^(byte - 127); 255 is NaN
//
// All roundings are to nearest, ties to even, and saturate. These functions are exact and slow:
// they serve the reference kernels, loading and tests. The fast kernels have their own decoders.

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace cedar {

struct Bf16 {
  uint16_t bits;
};
static_assert(sizeof(Bf16) == 2);

inline float ToFloat(Bf16 x) {
  const uint32_t u = static_cast<uint32_t>(x.bits) << 16;
  float f;
  std::memcpy(&f, &u, sizeof(f));
  return f;
}

// x must not be NaN.
inline Bf16 RoundToBf16(float x) {
  uint32_t u;
  std::memcpy(&u, &x, sizeof(u));
  return Bf16{static_cast<uint16_t>((u + 0x7FFF + ((u >> 16) & 1)) >> 16)};
}

inline constexpr size_t kScaleBlock = 32;       // channels that share a UE8M0 scale
inline constexpr size_t kCompressedBlock = 16;  // channels of a compressed row that share an E4M3
inline constexpr float kFp8Max = 448.0f;
inline constexpr float kFp4Max = 6.0f;

float DecodeE4m3(uint8_t code);    // NaN for 0x7F and 0xFF
uint8_t EncodeE4m3(double x);      // rounds and saturates; keeps the sign of zero
float DecodeE2m1(uint8_t nibble);  // the low four bits count
uint8_t EncodeE2m1(double x);      // rounds and saturates; keeps the sign of zero
float DecodeUe8m0(uint8_t code);   // exact, subnormal for 0; NaN for 255

// ceil(log2(x)) of a positive normal x, exactly.
int CeilLog2(float x);

// Bytes of the rows that a sequence keeps. `channels` is a multiple of 32 in all three.
//   window row      [channels] E4M3, then [channels / 32] UE8M0          (528 at 512 channels)
//   compressed row  [channels / 2] E2M1 pairs, then [channels / 16] E4M3 (288 at 512 channels)
//   index key       [channels / 2] E2M1 pairs, then [channels / 32] UE8M0 (68 at 128 channels)
constexpr size_t WindowRowBytes(size_t channels) { return channels + channels / kScaleBlock; }
constexpr size_t CompressedRowBytes(size_t channels) {
  return channels / 2 + channels / kCompressedBlock;
}
constexpr size_t IndexKeyBytes(size_t channels) { return channels / 2 + channels / kScaleBlock; }

}  // namespace cedar

#endif  // CEDAR_SIMD_FORMATS_H_
