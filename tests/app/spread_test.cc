#include "app/spread.h"

#include <gtest/gtest.h>

namespace cedar {
namespace {

TEST(SpreadTest, NothingHasNoSpread) { EXPECT_EQ(Spread().Percentile(0.5), 0); }

TEST(SpreadTest, SharesAreFoundWithinABin) {
  Spread spread;
  for (int i = 1; i <= 1000; ++i) spread.Add(i * 1e-3);
  // Bins are 1 % wide and their middle is told; the exact value is one of 1000 steps.
  EXPECT_NEAR(spread.Percentile(0.5), 0.5, 0.006 * 0.5);
  EXPECT_NEAR(spread.Percentile(0.95), 0.95, 0.006 * 0.95);
  EXPECT_NEAR(spread.Percentile(0), 1e-3, 0.006 * 1e-3);
  EXPECT_NEAR(spread.Percentile(1), 1, 0.006);
}

TEST(SpreadTest, ExtremesCountAsTheOutermostBins) {
  Spread spread;
  spread.Add(0);
  spread.Add(1e9);
  EXPECT_NEAR(spread.Percentile(0), 1e-6, 0.01e-6);
  EXPECT_NEAR(spread.Percentile(1), 1e6, 0.01e6);
}

}  // namespace
}  // namespace cedar
