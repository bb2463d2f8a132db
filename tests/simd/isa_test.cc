#include "simd/isa.h"

#include <gtest/gtest.h>

#include "simd/isa_target.h"
#include "simd/kernels.h"
#include "simd/targets.h"

namespace cedar {
namespace {

TEST(IsaTest, NamesParseBack) {
  ASSERT_EQ(AllIsas().size(), 8u);
  for (Isa isa : AllIsas()) EXPECT_EQ(ParseIsa(IsaName(isa)), isa);
  EXPECT_EQ(IsaName(Isa::kAvx3Zen4), "avx3_zen4");
  EXPECT_EQ(ParseIsa("sse2"), std::nullopt);
  EXPECT_EQ(ParseIsa(""), std::nullopt);
}

TEST(IsaTest, AvailableOnesAreDistinctBestFirstAndEndWithTheReference) {
  const std::vector<Isa> here = AvailableIsas();
  ASSERT_FALSE(here.empty());
  EXPECT_EQ(here.back(), Isa::kReference);
  for (size_t i = 1; i < here.size(); ++i) EXPECT_GT(here[i - 1], here[i]);
}

TEST(IsaTest, EachAvailableIsaHasOneTargetAndATableOfItsOwn) {
  EXPECT_EQ(HighwayTarget(Isa::kReference), 0);
  for (Isa isa : AvailableIsas()) {
    EXPECT_EQ(simd::KernelsFor(isa).isa, isa);
    const int64_t target = HighwayTarget(isa);
    if (isa == Isa::kReference) continue;
    EXPECT_NE(target, 0);
    EXPECT_EQ(target & (target - 1), 0) << IsaName(isa);
  }
}

TEST(IsaTest, ACpuIsRefusedExactlyIfItHasNoFastIsa) {
  EXPECT_EQ(CpuRefusal().empty(), AvailableIsas().size() > 1);
  for (Isa isa : AvailableIsas()) {
    if (isa == Isa::kReference) continue;
    EXPECT_EQ(CpuRefusal(HighwayTarget(isa)), "") << IsaName(isa);
  }
  const std::string refusal = CpuRefusal(HWY_SSE2 | HWY_SSSE3 | HWY_SSE4);
  EXPECT_NE(refusal.find("no AVX2"), std::string::npos) << refusal;
}

}  // namespace
}  // namespace cedar
