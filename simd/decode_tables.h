#ifndef CEDAR_SIMD_DECODE_TABLES_H_
#define CEDAR_SIMD_DECODE_TABLES_H_

// The tables that the weight decoders of decode-inl.h look codes up in, the same for all targets.

#include <cstddef>
#include <cstdint>

namespace cedar::simd {

template <size_t kSize>
struct ByteTable {
  alignas(64) uint8_t bytes[kSize] = {};
};

// ---- E4M3: the two halves of the bf16 with the same value, for each code without its sign -------

constexpr uint16_t E4m3ToBf16(uint32_t code) {
  uint32_t exponent = 127 - 7 + (code >> 3), mantissa = (code & 7) << 4;
  if (code == 0) return 0;
  if (code < 8) {  // a subnormal: shift up until there is a leading one
    for (exponent = 127 - 6, mantissa = code << 4; mantissa < 0x80; --exponent) mantissa <<= 1;
  }
  return static_cast<uint16_t>(exponent << 7 | (mantissa & 0x7F));
}

// Of each value times 2^exponent.
constexpr ByteTable<128> E4m3Half(int shift, int exponent) {
  ByteTable<128> table;
  for (uint32_t code = 1; code < 128; ++code) {
    table.bytes[code] = static_cast<uint8_t>((E4m3ToBf16(code) + exponent * 128) >> shift);
  }
  return table;
}
inline constexpr ByteTable<128> kE4m3Low = E4m3Half(0, -8), kE4m3High = E4m3Half(8, -8);
inline constexpr ByteTable<128> kHighE4m3Low = E4m3Half(0, 127), kHighE4m3High = E4m3Half(8, 127);

// ---- E2M1 ---------------------------------------------------------------------------------------

struct E2m1Floats {
  alignas(64) float values[16] = {0,    .5f,  1,  1.5f,  2,  3,  4,  6,
                                  -0.f, -.5f, -1, -1.5f, -2, -3, -4, -6};
};
inline constexpr E2m1Floats kE2m1Float;

constexpr uint16_t E2m1ToBf16(uint32_t code) {
  constexpr uint16_t kMagnitudes[8] = {0, 0x3F00, 0x3F80, 0x3FC0, 0x4000, 0x4040, 0x4080, 0x40C0};
  return static_cast<uint16_t>(kMagnitudes[code & 7] | (code & 8) << 12);
}

constexpr ByteTable<16> E2m1Half(int shift) {
  ByteTable<16> table;
  for (uint32_t code = 0; code < 16; ++code) {
    table.bytes[code] = static_cast<uint8_t>(E2m1ToBf16(code) >> shift);
  }
  return table;
}
inline constexpr ByteTable<16> kE2m1Low = E2m1Half(0), kE2m1High = E2m1Half(8);

struct WordTable {
  alignas(64) uint16_t values[32];
};

// As bf16 times a power of two, twice over, and with one zero only.
constexpr WordTable E2m1Twice(uint32_t exponent) {
  WordTable table = {};
  for (uint32_t i = 0; i < 32; ++i) {
    if (i % 8 != 0) table.values[i] = static_cast<uint16_t>(E2m1ToBf16(i % 16) + (exponent << 7));
  }
  return table;
}
inline constexpr WordTable kE2m1Bf16Twice = E2m1Twice(0), kE2m1HighBf16Twice = E2m1Twice(126);

struct NibbleShifts {
  alignas(32) uint32_t values[8] = {0, 0, 0, 0, 4, 4, 4, 4};
};
inline constexpr NibbleShifts kNibbleShifts;

// ---- UE8M0 --------------------------------------------------------------------------------------

inline constexpr uint32_t kSmallestScaleBits = 0x00400000;  // 2^-127, the value of code 0

// 2^(code - 127 + kShift), exact, but at most 2^127: kernels that shift cannot hold scales beyond
// 2^(127 - kShift).
template <int kShift>
struct ScaleTable {
  float values[256] = {};
  constexpr ScaleTable() {
    double value = 0x1p-127;
    for (int e = 0; e < kShift; ++e) value *= 2;
    for (int code = 0; code < 256; ++code, value *= 2) {
      values[code] = static_cast<float>(value < 0x1p127 ? value : 0x1p127);
    }
  }
};
template <int kShift>
inline constexpr ScaleTable<kShift> kScale;

// Byte positions that spread the codes of a step over the lanes of fp32 (decode_dots-inl.h): each
// code goes into the lower byte of the upper half of a lane, or of both its halves; zeros
// elsewhere. Neighbouring lanes share a code, four of FP4 and eight of FP8.
template <size_t kCodes>
struct LaneCodes {
  alignas(64) uint8_t upper[64] = {};
  alignas(64) uint8_t both[64] = {};
  constexpr LaneCodes() {
    for (size_t i = 0; i < 64; ++i) {
      const size_t lane = i / 4;
      const size_t code = lane * kCodes / 16;
      upper[i] = i % 4 == 2 ? static_cast<uint8_t>(code) : 0x80;
      both[i] = i % 2 == 0 ? static_cast<uint8_t>(code) : 0x80;
    }
  }
};
template <size_t kCodes>
inline constexpr LaneCodes<kCodes> kLaneCodes;

// For each of four FP4 steps, which of their sixteen scales belongs to a lane.
struct StepLanes {
  alignas(64) int32_t values[16];
};
constexpr StepLanes LanesOfStep(int step) {
  StepLanes lanes = {};
  for (int lane = 0; lane < 16; ++lane) lanes.values[lane] = 4 * step + lane / 4;
  return lanes;
}
inline constexpr StepLanes kGroupLanes[4] = {LanesOfStep(0), LanesOfStep(1), LanesOfStep(2),
                                             LanesOfStep(3)};

}  // namespace cedar::simd

#endif  // CEDAR_SIMD_DECODE_TABLES_H_
