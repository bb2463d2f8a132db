#include "simd/team_probes.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/simd/isa_cases.h"

namespace cedar::simd {
namespace {

class TeamProbesTest : public IsaCase {};

// No figure can be known, only that there is one: far below any CPU's, far above a stopped clock's.
TEST_P(TeamProbesTest, EverySpeedIsPlausible) {
  const std::vector<uint8_t> a(100000, 1), b(70000, 2);
  const std::vector<Bytes> parts{a, b};
  for (const int threads : {1, 3}) {
    const Workers workers(threads);
    const TeamProbes probes(GetParam(), workers);
    EXPECT_GT(probes.ReadSpeed(parts), 1e7);
    EXPECT_LT(probes.ReadSpeed(parts), 1e14);
    EXPECT_GT(probes.Fp32Fmas(), 1e8);
    EXPECT_LT(probes.Fp32Fmas(), 1e14);
    EXPECT_GE(probes.Bf16Dots(), 0);
    EXPECT_GT(probes.Int8Dots(), 1e8);
    EXPECT_LT(probes.Int8Dots(), 1e15);
    EXPECT_GT(probes.ReferencePeak(), 1e8);
  }
}

TEST_P(TeamProbesTest, NothingToReadHasNoSpeed) {
  const Workers workers(2);
  EXPECT_EQ(TeamProbes(GetParam(), workers).ReadSpeed({}), 0);
}

CEDAR_FOR_EACH_ISA(TeamProbesTest);

}  // namespace
}  // namespace cedar::simd
