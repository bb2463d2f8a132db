#include "engine/rope.h"

#include <gtest/gtest.h>

#include <vector>

namespace cedar {
namespace {

struct Expected {
  size_t position;
  std::vector<float> cos, sin;
};

// Values of the oracle's Rope. 77 and 1048575 leave the first turn of every pair.
void ExpectAngles(const Rope& rope, const std::vector<Expected>& table) {
  ASSERT_EQ(rope.dim(), 8u);
  for (const Expected& row : table) {
    std::vector<float> cos(4), sin(4);
    rope.Angles(row.position, cos.data(), sin.data());
    EXPECT_EQ(cos, row.cos) << row.position;
    EXPECT_EQ(sin, row.sin) << row.position;
  }
}

TEST(RopeTest, WithoutYarn) {
  ExpectAngles(Rope(8, 10000, nullptr),
               {{0, {1, 1, 1, 1}, {0, 0, 0, 0}},
                {1,
                 {0x1.14a28p-1f, 0x1.fd713p-1f, 0x1.fff972p-1f, 0x1.fffffp-1f},
                 {0x1.aed548p-1f, 0x1.98eaeep-4f, 0x1.47acaep-7f, 0x1.0624dcp-10f}},
                {77,
                 {-0x1.fb7eb4p-6f, 0x1.3a1beep-3f, 0x1.6f91fep-1f, 0x1.fe7ba2p-1f},
                 {0x1.ffc11cp-1f, 0x1.f9f132p-1f, 0x1.646bd6p-1f, 0x1.3b149ap-4f}},
                {1048575,
                 {0x1.937a46p-1f, -0x1.b13fep-1f, 0x1.43bcd8p-1f, 0x1.81fa74p-1f},
                 {-0x1.3b32b2p-1f, -0x1.10d5bap-1f, -0x1.8ca88ep-1f, -0x1.50665p-1f}}});
}

// The first two pairs turn at full speed, the others at a part of it.
TEST(RopeTest, WithYarn) {
  const YarnScaling yarn{
      .factor = 16, .beta_fast = 32, .beta_slow = 1, .original_positions = 65536};
  ExpectAngles(Rope(8, 160000, &yarn),
               {{1,
                 {0x1.14a28p-1f, 0x1.ff5c32p-1f, 0x1.ffffcep-1f, 0x1.0p+0f},
                 {0x1.aed548p-1f, 0x1.996deap-5f, 0x1.c28f4ep-10f, 0x1.89374cp-15f}},
                {77,
                 {-0x1.fb7eb4p-6f, -0x1.84cffp-1f, 0x1.fb85d2p-1f, 0x1.ffff26p-1f},
                 {0x1.ffc11cp-1f, -0x1.4d1ecp-1f, 0x1.0e3fdep-3f, 0x1.d91644p-9f}},
                {1048575,
                 {0x1.937a46p-1f, -0x1.1bf904p-2f, 0x1.04fdfap-1f, 0x1.c4184ap-2f},
                 {-0x1.3b32b2p-1f, 0x1.ebeb28p-1f, -0x1.b87c3p-1f, -0x1.cb65e6p-1f}}});
}

}  // namespace
}  // namespace cedar
