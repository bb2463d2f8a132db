#include "simd/formats.h"

#include <gtest/gtest.h>

#include <cmath>

namespace cedar {
namespace {

TEST(FormatsTest, E4m3DecodesKnownCodes) {
  EXPECT_EQ(DecodeE4m3(0x00), 0);
  EXPECT_TRUE(std::signbit(DecodeE4m3(0x80)));
  EXPECT_EQ(DecodeE4m3(0x01), 0x1p-9f);
  EXPECT_EQ(DecodeE4m3(0x07), 7 * 0x1p-9f);
  EXPECT_EQ(DecodeE4m3(0x08), 0x1p-6f);
  EXPECT_EQ(DecodeE4m3(0x38), 1);
  EXPECT_EQ(DecodeE4m3(0x3C), 1.5f);
  EXPECT_EQ(DecodeE4m3(0x7E), 448);
  EXPECT_EQ(DecodeE4m3(0xFE), -448);
  EXPECT_TRUE(std::isnan(DecodeE4m3(0x7F)));
  EXPECT_TRUE(std::isnan(DecodeE4m3(0xFF)));
}

// For every pair of neighbouring codes: each value encodes to itself, what lies between them goes
// to the nearer one, and the middle goes to the even code. The same for the negatives.
void ExpectNearestEven(int codes, int sign, float (*decode)(uint8_t), uint8_t (*encode)(double)) {
  for (int code = 0; code < codes; ++code) {
    const double here = decode(static_cast<uint8_t>(code));
    EXPECT_EQ(encode(here), code);
    EXPECT_EQ(encode(-here), code | sign);
    if (code + 1 == codes) break;
    const double next = decode(static_cast<uint8_t>(code + 1)), middle = (here + next) / 2;
    ASSERT_LT(here, next);
    const int even = code % 2 == 0 ? code : code + 1;
    EXPECT_EQ(encode(middle), even) << middle;
    EXPECT_EQ(encode(-middle), even | sign) << -middle;
    EXPECT_EQ(encode(std::nextafter(middle, 0)), code) << middle;
    EXPECT_EQ(encode(std::nextafter(middle, 1e9)), code + 1) << middle;
  }
}

TEST(FormatsTest, E4m3RoundsToNearestEven) {
  ExpectNearestEven(0x7F, 0x80, DecodeE4m3, EncodeE4m3);
}

TEST(FormatsTest, E2m1RoundsToNearestEven) { ExpectNearestEven(8, 8, DecodeE2m1, EncodeE2m1); }

TEST(FormatsTest, EncodersSaturate) {
  for (double x : {449.0, 464.0, 1e6, 1e300, static_cast<double>(INFINITY)}) {
    EXPECT_EQ(EncodeE4m3(x), 0x7E);
    EXPECT_EQ(EncodeE4m3(-x), 0xFE);
    EXPECT_EQ(EncodeE2m1(x), 7);
    EXPECT_EQ(EncodeE2m1(-x), 15);
  }
  EXPECT_EQ(EncodeE4m3(0x1p-1074), 0);
  EXPECT_EQ(EncodeE4m3(-0x1p-1074), 0x80);
}

TEST(FormatsTest, E2m1DecodesTheLowNibbleOnly) {
  const float values[] = {0, .5f, 1, 1.5f, 2, 3, 4, 6};
  for (uint8_t code = 0; code < 8; ++code) {
    EXPECT_EQ(DecodeE2m1(code), values[code]);
    EXPECT_EQ(DecodeE2m1(0xF8 | code), -values[code]);
  }
}

TEST(FormatsTest, Ue8m0IsAPowerOfTwo) {
  for (int code = 0; code < 255; ++code) {
    EXPECT_EQ(DecodeUe8m0(static_cast<uint8_t>(code)), std::ldexp(1.0, code - 127)) << code;
  }
  EXPECT_TRUE(std::isnan(DecodeUe8m0(255)));
}

TEST(FormatsTest, CeilLog2IsExact) {
  for (int e = -126; e <= 127; ++e) {
    const float power = std::ldexp(1.0f, e);
    EXPECT_EQ(CeilLog2(power), e);
    EXPECT_EQ(CeilLog2(std::nextafter(power, INFINITY)), e + 1);
    if (e == -126) continue;  // subnormals lie below
    EXPECT_EQ(CeilLog2(std::nextafter(power, 0.0f)), e);
  }
}

// All values with 24 bits of which the upper 16 are a bf16: against arithmetic in double.
TEST(FormatsTest, Bf16RoundsToNearestEven) {
  for (uint32_t upper = 0; upper < 0x7F80; ++upper) {
    const Bf16 code{static_cast<uint16_t>(upper)}, next{static_cast<uint16_t>(upper + 1)};
    const float here = ToFloat(code);
    EXPECT_EQ(RoundToBf16(here).bits, upper);
    EXPECT_EQ(RoundToBf16(-here).bits, upper | 0x8000);
    if (next.bits == 0x7F80) break;  // beyond the largest bf16 lies infinity
    const float middle = static_cast<float>((static_cast<double>(here) + ToFloat(next)) / 2);
    EXPECT_EQ(RoundToBf16(middle).bits, upper + upper % 2);
    EXPECT_EQ(RoundToBf16(std::nextafter(middle, 0.0f)).bits, upper);
    EXPECT_EQ(RoundToBf16(std::nextafter(middle, INFINITY)).bits, upper + 1);
  }
}

TEST(FormatsTest, RowsHaveTheBytesOfTheSpecification) {
  EXPECT_EQ(WindowRowBytes(512), 528u);
  EXPECT_EQ(CompressedRowBytes(512), 288u);
  EXPECT_EQ(IndexKeyBytes(128), 68u);
}

}  // namespace
}  // namespace cedar
