#include "weights/weight_sample.h"

#include <gtest/gtest.h>

#include "tests/paths.h"
#include "tests/weights/loaded_model.h"

namespace cedar {
namespace {

using Parts = std::vector<std::span<const uint8_t>>;

size_t Total(const Parts& parts) {
  size_t bytes = 0;
  for (const auto part : parts) bytes += part.size();
  return bytes;
}

TEST(WeightSampleTest, TakesAsMuchAsIsAskedForAllOverTheModel) {
  const LoadedModel model(GoldenPath("tiny"));
  const Parts all = SampleWeights(model.weights, SIZE_MAX);
  size_t largest = 0;
  for (const auto part : all) largest = std::max(largest, part.size());
  for (const size_t divisor : {2, 3, 7}) {
    const size_t bytes = Total(all) / divisor;
    const Parts sample = SampleWeights(model.weights, bytes);
    // One part that ends it, and what its size may be short of at most.
    EXPECT_GT(Total(sample) + largest, bytes);
    EXPECT_LT(Total(sample), bytes + largest);
    EXPECT_EQ(sample.front().data(), all.front().data());
    EXPECT_GT(sample.back().data(), all[all.size() / 2].data());
  }
}

TEST(WeightSampleTest, PartsAscendAndDoNotOverlap) {
  const LoadedModel model(GoldenPath("odd"));
  const Parts all = SampleWeights(model.weights, SIZE_MAX);
  ASSERT_GT(all.size(), 10u);
  for (size_t i = 1; i < all.size(); ++i) {
    EXPECT_GE(all[i].data(), all[i - 1].data() + all[i - 1].size());
  }
  // Experts are most of a model.
  EXPECT_GT(Total(all), model.weights.layers.size() * model.weights.layers[0].moe.routed.size() *
                            model.config.moe_hidden * model.config.hidden);
}

}  // namespace
}  // namespace cedar
