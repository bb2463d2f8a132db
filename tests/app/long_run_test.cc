#include "app/long_run.h"

#include <gtest/gtest.h>

#include <limits>

namespace cedar {
namespace {

TEST(LongRunTest, CountsHowOftenTheWeightsAreRead) {
  constexpr uint64_t kWeights = 300, kToken = 13;  // as in the release, in GB
  constexpr size_t kMost = std::numeric_limits<size_t>::max();
  const struct {
    KnownWork work;
    bool is_long;
  } cases[] = {
      {{}, false},
      {{.answers = 1, .tokens = 0}, false},
      {{.answers = 0, .tokens = 1000000}, false},
      // One by one: a token reads 13 of 300, so that 11816 tokens read all 512 times.
      {{.answers = 1, .tokens = 11815}, false},
      {{.answers = 1, .tokens = 11816}, true},
      {{.answers = 11816, .tokens = 1}, true},
      // No more answers share a step than there are.
      {{.answers = 1, .tokens = 11816, .at_once = 32}, true},
      {{.answers = 2, .tokens = 5908, .at_once = 32}, true},
      {{.answers = 2, .tokens = 5907, .at_once = 32}, false},
      // 32 at once read all of it with each step.
      {{.answers = 63, .tokens = 256, .at_once = 32}, false},
      {{.answers = 64, .tokens = 256, .at_once = 32}, true},
      {{.answers = 1023, .tokens = 16, .at_once = 32}, false},
      {{.answers = 1024, .tokens = 16, .at_once = 32}, true},
      // Nothing overflows, and a step of no answers is none.
      {{.answers = kMost, .tokens = kMost, .at_once = kMost}, true},
      {{.answers = 11816, .tokens = 1, .at_once = 0}, true},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(IsLong(c.work, kWeights, kToken), c.is_long)
        << c.work.answers << " " << c.work.tokens << " " << c.work.at_once;
  }
  EXPECT_FALSE(IsLong({.answers = kMost, .tokens = kMost}, 0, 0));
}

}  // namespace
}  // namespace cedar
