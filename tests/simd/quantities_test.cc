#include "simd/quantities.h"

#include <gtest/gtest.h>

namespace cedar {
namespace {

TEST(Quantities, SizesHaveThreeDigits) {
  EXPECT_EQ(FormatBytes(890), "890 B");
  EXPECT_EQ(FormatBytes(2703360), "2.70 MB");
  EXPECT_EQ(FormatBytes(13.04e9), "13.0 GB");
  EXPECT_EQ(FormatBytes(999600), "1.00 MB");
  EXPECT_EQ(FormatBytes(510e9), "510 GB");
  EXPECT_EQ(FormatCount(881), "881");
  EXPECT_EQ(FormatCount(552.3e9), "552 B");
  EXPECT_EQ(FormatCount(7.93e9), "7.93 B");
  EXPECT_EQ(FormatCount(0), "0");
}

TEST(Quantities, FewBytesAreSaidExactly) {
  EXPECT_EQ(BytesText(0), "0 bytes");
  EXPECT_EQ(BytesText(1), "1 byte");
  EXPECT_EQ(BytesText(9999), "9999 bytes");
  EXPECT_EQ(BytesText(10000), "10.0 kB");
  EXPECT_EQ(BytesText(297299468288), "297 GB");
}

TEST(Quantities, AnExcessShowsWhereBothReadTheSame) {
  EXPECT_EQ(ExcessText(4294967297, 4294967296), "4.29 GB, 1 byte too many");
  EXPECT_EQ(ExcessText(297299468288, 24400000000), "297 GB, 273 GB too many");
}

}  // namespace
}  // namespace cedar
