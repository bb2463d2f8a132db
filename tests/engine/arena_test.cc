#include "engine/arena.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace cedar {
namespace {

TEST(ArenaTest, CountsWhatItHandsOut) {
  alignas(64) static uint8_t memory[1024];
  Arena counted(nullptr), real(memory);
  EXPECT_EQ(counted.Take<float>(3), nullptr);
  EXPECT_EQ(counted.Take<uint8_t>(64), nullptr);
  EXPECT_EQ(counted.Take<double>(0), nullptr);
  EXPECT_EQ(counted.Take<uint8_t>(65), nullptr);
  EXPECT_EQ(static_cast<void*>(real.Take<float>(3)), memory);
  EXPECT_EQ(real.Take<uint8_t>(64), memory + 64);
  EXPECT_EQ(static_cast<void*>(real.Take<double>(0)), memory + 128);
  EXPECT_EQ(real.Take<uint8_t>(65), memory + 128);
  EXPECT_EQ(real.used(), 256u);
  EXPECT_EQ(counted.used(), real.used());
}

}  // namespace
}  // namespace cedar
