// What a Meter measures is never known beforehand; how its figures hang together is.

#include "engine/meter.h"

#include <gtest/gtest.h>

#include "tests/engine/golden_checkpoint.h"

namespace cedar {
namespace {

class MeterTest : public ::testing::Test {
 protected:
  void Prefill(size_t tokens) {
    Session session(engine_, {.context = tokens});
    session.Observe(meter_.observer());
    session.Prefill(std::span(tokens_).first(tokens));
  }

  const GoldenCheckpoint golden_{"tiny"};
  const Engine engine_ = golden_.MakeEngine(AvailableIsas().front(), 2);
  const std::vector<int32_t> tokens_ = golden_.tokens();
  Meter meter_{engine_};
};

TEST_F(MeterTest, CountsWhatIsDoneBetweenStartAndStop) {
  Prefill(3);  // before the start: counts for nothing
  meter_.Start();
  Prefill(7);
  const Measured piece = meter_.Stop();
  WorkCounter counter(engine_.model());
  Session session(engine_, {.context = 7});
  session.Observe(&counter);
  session.Prefill(std::span(tokens_).first(7));
  EXPECT_EQ(piece.work.weight_bytes, counter.work().weight_bytes);
  // Sums of whole numbers below 2^53 are exact, in whatever order.
  EXPECT_EQ(piece.work.operations, counter.work().operations);
  EXPECT_GT(piece.seconds, 0);
  EXPECT_GT(piece.read_seconds, 0);
  EXPECT_GT(piece.compute_seconds, 0);
  EXPECT_EQ(piece.read_share(), piece.read_seconds / piece.seconds);
  EXPECT_EQ(piece.compute_share(), piece.compute_seconds / piece.seconds);
}

TEST_F(MeterTest, PiecesAddUp) {
  meter_.Start();
  Prefill(5);
  const Measured first = meter_.Split();
  Prefill(5);
  const Measured second = meter_.Stop();
  EXPECT_EQ(first.work.operations, second.work.operations);
  Measured both = first;
  both += second;
  EXPECT_EQ(both.work.operations, 2 * first.work.operations);
  EXPECT_EQ(both.work.weight_bytes, 2 * first.work.weight_bytes);
  EXPECT_EQ(both.seconds, first.seconds + second.seconds);
  EXPECT_EQ(both.read_seconds, first.read_seconds + second.read_seconds);
  EXPECT_EQ(both.compute_seconds, first.compute_seconds + second.compute_seconds);
}

TEST_F(MeterTest, NothingMeasuredHasNoShare) {
  EXPECT_EQ(Measured().read_share(), 0);
  EXPECT_EQ(Measured().compute_share(), 0);
}

}  // namespace
}  // namespace cedar
