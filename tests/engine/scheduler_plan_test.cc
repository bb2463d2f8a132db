#include "engine/scheduler_plan.h"

#include <gtest/gtest.h>

#include "engine/kv_pages.h"
#include "tests/engine/golden_checkpoint.h"

namespace cedar {
namespace {

constexpr size_t kMegabyte = size_t{1} << 20;

class SchedulerPlanTest : public testing::Test {
 protected:
  SchedulerPlan Plan(size_t budget, size_t parallel = 8) const {
    return PlanScheduler(
        engine_,
        {.budget = budget, .context = 400, .parallel = parallel, .chunk = 32, .caller = caller_});
  }

  const Engine engine_ = GoldenCheckpoint("tiny").MakeEngine(AvailableIsas().front());
  CallerBytes caller_;
};

TEST_F(SchedulerPlanTest, FewerRequestsRatherThanTooManyBytes) {
  const size_t one = Plan(0, 1).bytes;  // what one request needs
  ASSERT_GT(one, 0u);
  EXPECT_GT(Plan(one - 1).bytes, one - 1);
  EXPECT_EQ(Plan(one).scheduler.parallel, 1u);
  size_t before = 1;
  for (size_t budget = one; budget < 4 * one; budget += one / 4) {
    const SchedulerPlan plan = Plan(budget);
    EXPECT_LE(plan.bytes, budget);
    EXPECT_GE(plan.scheduler.parallel, before);
    EXPECT_GT(plan.scheduler.pages,
              KvPageLayout(engine_.config(), engine_.plan()).PagesFor(plan.scheduler.context));
    before = plan.scheduler.parallel;
  }
  EXPECT_EQ(Plan(1024 * kMegabyte).scheduler.parallel, 8u);
}

TEST_F(SchedulerPlanTest, WhatTheCallerTakesIsCounted) {
  const size_t one = Plan(0, 1).bytes;
  caller_ = {
      .fixed = 1000, .per_request = 200, .of_context = [](size_t context) { return 3 * context; }};
  EXPECT_EQ(Plan(0, 1).bytes, one + 1000 + 200 + 400 * 3);
}

// Without a context that is asked for, the largest one that the model has and the budget holds.
TEST_F(SchedulerPlanTest, TheLargestContextThatFits) {
  const auto context = [&](size_t budget) {
    return PlanScheduler(engine_, {.budget = budget, .chunk = 32}).scheduler.context;
  };
  const size_t least = PlanScheduler(engine_, {.chunk = 32}).bytes;
  EXPECT_LT(context(least), engine_.config().max_positions);
  EXPECT_EQ(context(1024 * kMegabyte), engine_.config().max_positions);
}

}  // namespace
}  // namespace cedar
