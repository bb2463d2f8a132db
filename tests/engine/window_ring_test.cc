#include "engine/window_ring.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace cedar {
namespace {

// Rows of one byte: the low byte of their position.
class Ring {
 public:
  explicit Ring(size_t capacity) : memory_(capacity), ring_(memory_.data(), capacity, 1) {}

  void Append(size_t position, size_t count) {
    std::vector<uint8_t> rows;
    for (size_t p = position; p < position + count; ++p) rows.push_back(static_cast<uint8_t>(p));
    ring_.Append(position, rows.data(), count);
  }
  void ExpectHolds(size_t begin, size_t end) const {
    EXPECT_EQ(ring_.end(), end);
    for (size_t p = begin; p < end; ++p) EXPECT_EQ(*ring_.Row(p), static_cast<uint8_t>(p)) << p;
  }
  WindowRing& ring() { return ring_; }

 private:
  std::vector<uint8_t> memory_;
  WindowRing ring_;
};

TEST(WindowRingTest, HoldsTheLastRows) {
  Ring r(4);
  r.Append(0, 3);
  r.ExpectHolds(0, 3);
  r.Append(3, 1);
  r.ExpectHolds(0, 4);
  r.Append(4, 3);
  r.ExpectHolds(3, 7);
  EXPECT_EQ(r.ring().begin(), 0u);
}

TEST(WindowRingTest, TakesMoreRowsThanItHolds) {
  Ring r(4);
  r.Append(0, 11);
  r.ExpectHolds(7, 11);
}

TEST(WindowRingTest, BeginsAnewAfterAGap) {
  Ring r(4);
  r.Append(0, 3);
  EXPECT_EQ(r.ring().BeginAfter(3), 0u);
  EXPECT_EQ(r.ring().BeginAfter(9), 9u);
  r.Append(9, 2);
  EXPECT_EQ(r.ring().begin(), 9u);
  r.ExpectHolds(9, 11);
  r.Append(11, 1);
  EXPECT_EQ(r.ring().begin(), 9u);
  r.ExpectHolds(9, 12);
}

TEST(WindowRingTest, BeginsAnewBeforeItsEnd) {
  Ring r(4);
  r.Append(0, 8);
  r.Append(6, 1);  // a replay of the last tokens
  EXPECT_EQ(r.ring().begin(), 6u);
  r.ExpectHolds(6, 7);
}

TEST(WindowRingTest, ExpectsTheNextRowWhereItWasCleared) {
  Ring r(4);
  r.Append(0, 3);
  r.ring().Clear(20);
  EXPECT_EQ(r.ring().BeginAfter(20), 20u);
  r.Append(18, 2);
  EXPECT_EQ(r.ring().begin(), 18u);
  r.ExpectHolds(18, 20);
}

TEST(WindowRingDeathTest, RefusesRowsThatItLost) {
  Ring r(4);
  r.Append(0, 6);
  EXPECT_DEATH(r.ring().Row(1), "capacity");
  EXPECT_DEATH(r.ring().Row(6), "end_");
  r.Append(10, 1);
  EXPECT_DEATH(r.ring().Row(9), "begin_");
}

}  // namespace
}  // namespace cedar
