#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <vector>

#include "tests/simd/isa_cases.h"

namespace cedar::simd {
namespace {

using BlockMaxTest = IsaCase;

std::vector<float> Maxima(const Kernels& kernels, const float* scores, size_t n, size_t block) {
  std::vector<float> maxima((n + block - 1) / block);
  kernels.block_max(scores, n, block, maxima.data());
  return maxima;
}

TEST_P(BlockMaxTest, EqualsTheReferenceAtAnySizeAndAlignment) {
  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  std::vector<float> scores(300);
  for (float& s : scores) s = normal(random);
  scores[17] = scores[18] = -std::numeric_limits<float>::infinity();
  for (size_t n : {1, 2, 7, 8, 9, 16, 17, 31, 64, 100, 255}) {
    for (size_t block : {1, 2, 3, 8, 16, 33, 300}) {
      for (size_t offset : {0, 1, 3, 16}) {
        EXPECT_EQ(Maxima(Fast(), scores.data() + offset, n, block),
                  Maxima(Truth(), scores.data() + offset, n, block))
            << n << " scores in blocks of " << block << " from " << offset;
      }
    }
  }
}

TEST_P(BlockMaxTest, ABlockOfMinusInfinityStaysSo) {
  const float low = -std::numeric_limits<float>::infinity();
  const std::vector<float> scores = {low, low, low, low, -3, low, low, low, low};
  EXPECT_EQ(Maxima(Fast(), scores.data(), scores.size(), 4), (std::vector<float>{low, -3, low}));
}

CEDAR_FOR_EACH_ISA(BlockMaxTest);

}  // namespace
}  // namespace cedar::simd
