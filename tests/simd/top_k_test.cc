#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

#include "tests/simd/isa_cases.h"

namespace cedar::simd {
namespace {

using TopKTest = IsaCase;

constexpr float kInfinity = std::numeric_limits<float>::infinity();

// By sorting: the definition.
std::vector<int32_t> Expected(const std::vector<float>& scores, size_t k) {
  std::vector<int32_t> order(scores.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int32_t a, int32_t b) {
    return scores[a] > scores[b] || (scores[a] == scores[b] && a < b);
  });
  order.resize(std::min(k, order.size()));
  std::erase_if(order, [&](int32_t i) { return scores[i] == -kInfinity; });
  std::sort(order.begin(), order.end());
  return order;
}

// What the kernel chooses from a misaligned copy; it must not write beyond k.
std::vector<int32_t> Chosen(const Kernels& kernels, const std::vector<float>& scores, size_t k) {
  std::vector<float> shifted(1, kInfinity);
  shifted.insert(shifted.end(), scores.begin(), scores.end());
  std::vector<int32_t> out(k + 1, -77);
  const size_t count = kernels.top_k(shifted.data() + 1, scores.size(), k, out.data());
  EXPECT_LE(count, k);
  EXPECT_EQ(out[k], -77);
  out.resize(count);
  return out;
}

void ExpectSorted(const Kernels& kernels, const std::vector<float>& scores) {
  for (size_t k : {1, 2, 3, 7, 16, 17, 100, 512, 5000}) {
    EXPECT_EQ(Chosen(kernels, scores, k), Expected(scores, k))
        << k << " of " << scores.size() << " scores";
  }
}

TEST_P(TopKTest, RandomScoresOfAnyCount) {
  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  for (size_t n : {0, 1, 2, 3, 15, 16, 17, 33, 100, 511, 512, 513, 4097}) {
    std::vector<float> scores(n);
    for (float& s : scores) s = normal(random);
    ExpectSorted(Fast(), scores);
  }
}

TEST_P(TopKTest, TiesGoToTheLowerIndex) {
  std::mt19937 random(2);
  for (int values : {1, 2, 5, 50}) {
    std::vector<float> scores(1000);
    for (float& s : scores)
      s = static_cast<float>(static_cast<int>(random() % values) - values / 2);
    ExpectSorted(Fast(), scores);
  }
}

TEST_P(TopKTest, ZeroesOfBothSignsAreEqual) {
  std::vector<float> scores;
  for (int i = 0; i < 100; ++i) scores.push_back(i % 3 == 0 ? 0.0f : -0.0f);
  scores[50] = std::numeric_limits<float>::denorm_min();
  scores[51] = -std::numeric_limits<float>::denorm_min();
  ExpectSorted(Fast(), scores);
}

TEST_P(TopKTest, MinusInfinityIsNeverChosen) {
  std::vector<float> scores(200, -kInfinity);
  ExpectSorted(Fast(), scores);
  scores[3] = std::numeric_limits<float>::lowest();
  scores[150] = -1;
  ExpectSorted(Fast(), scores);
}

TEST_P(TopKTest, ExtremesAndInfinity) {
  std::mt19937 random(3);
  std::vector<float> scores;
  for (int i = 0; i < 3000; ++i) {
    scores.push_back(std::ldexp(static_cast<float>(random() % 1000) - 500,
                                static_cast<int>(random() % 230) - 120));
  }
  for (size_t i : {0, 17, 1000, 2999}) scores[i] = kInfinity;
  scores[18] = std::numeric_limits<float>::max();
  ExpectSorted(Fast(), scores);
}

CEDAR_FOR_EACH_ISA(TopKTest);

}  // namespace
}  // namespace cedar::simd
