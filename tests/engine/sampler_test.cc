#include "engine/sampler.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "simd/error.h"

namespace cedar {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

// Everything off: plain softmax.
constexpr SamplingParams kPlain = {.temperature = 1, .top_p = 1, .top_k = 0, .min_p = 0};

SamplingParams With(double temperature, double top_p, size_t top_k, double min_p) {
  return {temperature, top_p, top_k, min_p};
}

// Logits whose softmax is in proportion to `weights`, shifted as real ones are.
std::vector<float> LogitsOf(const std::vector<double>& weights) {
  std::vector<float> logits;
  for (const double weight : weights) logits.push_back(static_cast<float>(std::log(weight) + 12.5));
  return logits;
}

std::map<int32_t, int> Count(const std::vector<float>& logits, const SamplingParams& params,
                             int draws, std::vector<int32_t> forbidden = {}) {
  Sampler sampler(params, 42, std::move(forbidden));
  std::map<int32_t, int> counts;
  for (int i = 0; i < draws; ++i) ++counts[sampler.Pick(logits)];
  return counts;
}

// The drawn shares are those of `weights` (0: never drawn): each within five standard deviations of
// its binomial, which a right sampler misses once in 1.7 million; the seed is fixed.
void ExpectShares(const std::map<int32_t, int>& counts, const std::vector<double>& weights) {
  double total = 0;
  for (const double weight : weights) total += weight;
  int draws = 0;
  for (const auto& [id, count] : counts) draws += count;
  for (size_t id = 0; id < weights.size(); ++id) {
    const double p = weights[id] / total;
    const auto found = counts.find(static_cast<int32_t>(id));
    const double count = found == counts.end() ? 0 : found->second;
    EXPECT_LE(std::abs(count - draws * p), 5 * std::sqrt(draws * p * (1 - p))) << "token " << id;
  }
}

TEST(Random, IsSplitMix64) {
  // The first outputs for seed 0 and 1234567, as its authors' C code gives them.
  Random zero(0);
  EXPECT_EQ(zero.Next(), 0xE220A8397B1DCDAFu);
  EXPECT_EQ(zero.Next(), 0x6E789E6AA1B965F4u);
  EXPECT_EQ(zero.Next(), 0x06C45D188009454Fu);
  Random other(1234567);
  EXPECT_EQ(other.Next(), 6457827717110365317u);
  EXPECT_EQ(other.Next(), 3203168211198807973u);
}

TEST(Random, UnitStaysBelowOne) {
  Random random(3);
  double least = 1;
  double most = 0;
  for (int i = 0; i < 100'000; ++i) {
    const double x = random.NextUnit();
    least = std::min(least, x);
    most = std::max(most, x);
  }
  EXPECT_GE(least, 0);
  EXPECT_LT(most, 1);
  EXPECT_LT(least, 0.001);  // missed with probability (1 - 0.001)^100000 = e^-100
  EXPECT_GT(most, 0.999);
}

TEST(Sampler, TemperatureZeroTakesTheLikeliestAndTheLowerIdOfEquals) {
  Sampler sampler(With(0, 0.95, 0, 0), 1);
  EXPECT_EQ(sampler.Pick(std::vector<float>{1, 3, 2}), 1);
  EXPECT_EQ(sampler.Pick(std::vector<float>{1, 3, 3, 3}), 1);
  EXPECT_EQ(sampler.Pick(std::vector<float>{-5}), 0);
}

TEST(Sampler, ForbiddenIdsAreNeverPicked) {
  Sampler greedy(With(0, 1, 0, 0), 1, {1, 2});
  EXPECT_EQ(greedy.Pick(std::vector<float>{1, 3, 3, 2}), 3);
  ExpectShares(Count(LogitsOf({5, 1, 3, 1}), kPlain, 20'000, {0, 3}), {0, 1, 3, 0});
}

TEST(Sampler, SharesAreTheSoftmax) {
  ExpectShares(Count(LogitsOf({1, 2, 3, 4}), kPlain, 100'000), {1, 2, 3, 4});
}

TEST(Sampler, TemperatureIsAPower) {
  ExpectShares(Count(LogitsOf({1, 2, 3, 4}), With(0.5, 1, 0, 0), 100'000), {1, 4, 9, 16});
  ExpectShares(Count(LogitsOf({1, 4, 9, 16}), With(2, 1, 0, 0), 100'000), {1, 2, 3, 4});
}

TEST(Sampler, TopKKeepsTheLikeliest) {
  ExpectShares(Count(LogitsOf({1, 4, 3, 2}), With(1, 1, 2, 0), 50'000), {0, 4, 3, 0});
  ExpectShares(Count(LogitsOf({2, 2, 2}), With(1, 1, 2, 0), 50'000), {2, 2, 0});  // lower ids
  ExpectShares(Count(LogitsOf({1, 2}), With(1, 1, 9, 0), 50'000), {1, 2});
}

TEST(Sampler, TopPKeepsTheFewestThatReachIt) {
  // 0.4 + 0.3 reaches 0.65, and 0.4 alone 0.35.
  ExpectShares(Count(LogitsOf({1, 4, 3, 2}), With(1, 0.65, 0, 0), 50'000), {0, 4, 3, 0});
  ExpectShares(Count(LogitsOf({1, 4, 3, 2}), With(1, 0.35, 0, 0), 1'000), {0, 4, 0, 0});
  ExpectShares(Count(LogitsOf({1, 4, 3, 2}), With(1, 0, 0, 0), 1'000), {0, 4, 0, 0});
}

TEST(Sampler, TopPCountsAfterTopKAndTemperature) {
  // Of the two likeliest, 4 and 3, the first alone has 0.57.
  ExpectShares(Count(LogitsOf({1, 4, 3, 2}), With(1, 0.55, 2, 0), 1'000), {0, 4, 0, 0});
  // Squared: 16 of 30 is 0.53.
  ExpectShares(Count(LogitsOf({1, 4, 3, 2}), With(0.5, 0.5, 0, 0), 1'000), {0, 4, 0, 0});
}

TEST(Sampler, MinPIsAShareOfTheLikeliest) {
  ExpectShares(Count(LogitsOf({1, 4, 3, 2}), With(1, 1, 0, 0.6), 50'000), {0, 4, 3, 0});
  ExpectShares(Count(LogitsOf({1, 4, 3, 2}), With(1, 1, 0, 1), 1'000), {0, 4, 0, 0});
}

// Many equal tokens: top-p has to sort far more than its first few.
TEST(Sampler, TopPOfAFlatDistribution) {
  const std::vector<float> logits(10'000, 1.0f);
  Sampler sampler(With(1, 0.5, 0, 0), 4);
  int32_t highest = 0;
  for (int i = 0; i < 300; ++i) highest = std::max(highest, sampler.Pick(logits));
  EXPECT_LT(highest, 5001);  // of equals the lower ids are kept, half of them
  EXPECT_GT(highest, 4700);  // missed with probability 0.94^300, below 1e-8
}

TEST(Sampler, TheSameSeedGivesTheSameTokens) {
  std::vector<float> logits(1000);
  Random random(8);
  for (float& logit : logits) logit = static_cast<float>(4 * random.NextUnit());
  const auto draw = [&](uint64_t seed) {
    Sampler sampler({}, seed);
    std::vector<int32_t> ids;
    for (int i = 0; i < 50; ++i) ids.push_back(sampler.Pick(logits));
    return ids;
  };
  EXPECT_EQ(draw(7), draw(7));
  EXPECT_NE(draw(7), draw(8));
}

TEST(Sampler, ExtremeTemperaturesStayInRange) {
  const std::vector<float> logits = {-3e38f, 3e38f, 2.9e38f};
  EXPECT_EQ(Sampler(With(1e-300, 1, 0, 0), 1).Pick(logits), 1);
  EXPECT_EQ(Sampler(With(1e-300, 0.5, 2, 0.1), 1).Pick(logits), 1);
  const int32_t any = Sampler(With(1e300, 1, 0, 0), 1).Pick(logits);
  EXPECT_TRUE(any >= 0 && any < 3);
}

TEST(Sampler, LogitsThatAreNotFiniteAreAnError) {
  for (const float bad : {std::nanf(""), kInfinity, -kInfinity}) {
    const std::vector<float> logits = {1, bad, 2};
    for (const double temperature : {0.0, 1.0}) {
      Sampler sampler(With(temperature, 0.95, 0, 0), 1);
      EXPECT_THROW(sampler.Pick(logits), Error);
    }
    EXPECT_THROW(LogProb(logits, 0), Error);
  }
}

TEST(SamplingParams, WhatIsWrongNamesTheValue) {
  const double nan = std::nan("");
  EXPECT_EQ(WhatIsWrong({}), std::nullopt);
  EXPECT_EQ(WhatIsWrong(With(0, 0, 0, 0)), std::nullopt);
  EXPECT_EQ(WhatIsWrong(With(0, 1, 100, 1)), std::nullopt);
  const auto names = [](const SamplingParams& params, const std::string& name) {
    return WhatIsWrong(params).value_or("").find(name) == 0;
  };
  for (const double bad : {-0.1, nan, HUGE_VAL}) {
    EXPECT_TRUE(names(With(bad, 1, 0, 0), "temperature"));
    EXPECT_TRUE(names(With(1, bad, 0, 0), "top_p"));
    EXPECT_TRUE(names(With(1, 1, 0, bad), "min_p"));
  }
}

TEST(LogProb, IsTheLogOfTheSoftmax) {
  const std::vector<float> logits = LogitsOf({1, 2, 3, 4});
  for (int32_t id = 0; id < 4; ++id) {
    // The logits are floats near 13, so each is off by up to 2^-21, and so is their log-sum.
    EXPECT_NEAR(LogProb(logits, id), std::log((id + 1) / 10.0), 2 * 0x1p-21);
  }
  EXPECT_EQ(LogProb(std::vector<float>{5}, 0), 0);
  EXPECT_NEAR(LogProb(std::vector<float>{0, 3e38f}, 0), -3e38, 1e31);  // 3e38 as a float
}

}  // namespace
}  // namespace cedar
