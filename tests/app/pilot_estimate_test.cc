#include "app/pilot_estimate.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

namespace cedar {
namespace {

using Places = std::vector<size_t>;

TEST(MomentsTest, MeanAndStandardError) {
  Moments all, some, others;
  for (const double value : {1.0, 2.0, 4.0, 9.0}) all.Add(value);
  some.Add(1);
  for (const double value : {2.0, 4.0, 9.0}) others.Add(value);
  some.Add(others);
  some.Add(Moments());
  for (const Moments& moments : {all, some}) {
    EXPECT_EQ(moments.count(), 4u);
    EXPECT_DOUBLE_EQ(moments.mean(), 4);
    EXPECT_DOUBLE_EQ(moments.StandardError(), std::sqrt(38.0 / 3 / 4));
  }
  EXPECT_EQ(Moments().StandardError(), 0);
}

TEST(PilotEstimateTest, DrawsEvenly) {
  EXPECT_EQ(DrawEvenly(10, 2), (Places{2, 7}));
  EXPECT_EQ(DrawEvenly(9, 3), (Places{1, 4, 7}));
  EXPECT_EQ(DrawEvenly(3, 5), (Places{0, 1, 2}));
  EXPECT_EQ(DrawEvenly(3, 3), (Places{0, 1, 2}));
  EXPECT_EQ(DrawEvenly(0, 5), Places());
}

// Lines with these generated tokens, 10 prompt tokens each, out of so many; a prompt token takes a
// tenth of a second, a generated one a whole.
PilotResult Drawn(const std::vector<size_t>& generated, size_t lines) {
  PilotResult result;
  for (const size_t tokens : generated) {
    result.sample.AddLine(10, tokens);
    result.sample.AddStep({.prefill_seconds = 1, .prompt_rows = 10, .running = 4});
    for (size_t i = 0; i < tokens; ++i) {
      result.sample.AddStep({.decode_seconds = 1, .tokens = 1, .running = 4});
    }
    result.seconds += 1 + static_cast<double>(tokens);
  }
  result.parallel = 4;
  result.all = {.lines = lines, .prompt_tokens = 10 * lines, .answers = lines};
  result.left = result.all;
  result.left.lines -= generated.size();
  result.left.prompt_tokens -= 10 * generated.size();
  return result;
}

TEST(PilotEstimateTest, WhatIsDrawnStandsForTheRest) {
  const PilotEstimate e = EstimateFrom(Drawn({4, 4, 4, 4}, 100));
  EXPECT_TRUE(e.is_full);
  EXPECT_DOUBLE_EQ(e.generated_all.value, 400);
  EXPECT_DOUBLE_EQ(e.generated_left.value, 384);
  EXPECT_DOUBLE_EQ(e.generated_all.low, 400);
  EXPECT_NEAR(e.seconds_all.value, 500, 1e-9);
  EXPECT_NEAR(e.seconds_left.high, 480, 1e-9);
}

TEST(PilotEstimateTest, TheBarIsAsWideAsTheSpread) {
  const PilotEstimate e = EstimateFrom(Drawn({2, 4, 6, 8}, 100));
  // 96 lines that nobody knows, of which the mean is off by a standard error of 1.29.
  const double half = 3.182 * std::sqrt(20.0 / 3 / 4 * 96 * 100);
  EXPECT_NEAR(e.generated_left.value - e.generated_left.low, half, 0.01 * half);
  EXPECT_NEAR(e.generated_all.high - e.generated_all.value, half, 0.01 * half);
  EXPECT_NEAR(e.seconds_left.high - e.seconds_left.value, half, 0.01 * half);
}

TEST(PilotEstimateTest, OneLineHasNoSpread) {
  EXPECT_FALSE(EstimateFrom(Drawn({5}, 100)).has_spread);
  EXPECT_TRUE(PilotJson(Drawn({5}, 100))["confidence"].is_null());
  EXPECT_NE(PilotText(Drawn({5}, 100)).find("no spread"), std::string::npos);
  EXPECT_NE(PilotText({}).find("no line"), std::string::npos);
  EXPECT_EQ(PilotText(Drawn({9, 9}, 100)).find("caution"), std::string::npos);
}

// Steps of few requests tell little of the pace that many will have.
TEST(PilotEstimateTest, FullStepsAloneTellThePace) {
  PilotResult result = Drawn({5, 5, 5}, 100);
  for (int i = 0; i < 20; ++i) {
    result.sample.AddStep({.decode_seconds = 2, .tokens = 8, .running = 8});
  }
  result.parallel = 8;
  EXPECT_TRUE(EstimateFrom(result).is_full);
  EXPECT_NEAR(EstimateFrom(result).seconds_all.value, 100 + 500 * 0.25, 1e-9);
  result.parallel = 32;
  EXPECT_FALSE(EstimateFrom(result).is_full);
  EXPECT_NE(PilotText(result).find("caution"), std::string::npos);
  EXPECT_NE(PilotText(result).find("up to 32"), std::string::npos);
}

}  // namespace
}  // namespace cedar
