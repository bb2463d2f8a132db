#include <gtest/gtest.h>

#include <vector>

#include "engine/sequence.h"

namespace cedar {
namespace {

// Rows of two stream values and one mix, each telling its token.
class Pending {
 public:
  explicit Pending(size_t reach) : streams_(2 * reach), pre_(reach) {
    rows_.reach = reach;
    rows_.row_values = 2;
    rows_.hc = 1;
    rows_.streams = streams_.data();
    rows_.pre = pre_.data();
  }

  void Append(size_t first, size_t count) {
    std::vector<Bf16> streams;
    std::vector<float> pre;
    for (size_t token = first; token < first + count; ++token) {
      streams.push_back({static_cast<uint16_t>(token)});
      streams.push_back({static_cast<uint16_t>(token + 1000)});
      pre.push_back(static_cast<float>(token));
    }
    rows_.Append(streams.data(), pre.data(), count);
  }

  void ExpectHolds(size_t first, size_t end) const {
    ASSERT_EQ(rows_.count, end - first);
    for (size_t i = 0; i < rows_.count; ++i) {
      EXPECT_EQ(rows_.streams[2 * i].bits, first + i);
      EXPECT_EQ(rows_.streams[2 * i + 1].bits, first + i + 1000);
      EXPECT_EQ(rows_.pre[i], static_cast<float>(first + i));
    }
  }

 private:
  std::vector<Bf16> streams_;
  std::vector<float> pre_;
  PendingRows rows_;
};

TEST(PendingRowsTest, KeepsTheLastRows) {
  Pending p(5);
  p.Append(0, 3);
  p.ExpectHolds(0, 3);
  p.Append(3, 2);
  p.ExpectHolds(0, 5);
  p.Append(5, 1);
  p.ExpectHolds(1, 6);
  p.Append(6, 4);
  p.ExpectHolds(5, 10);
  p.Append(10, 5);
  p.ExpectHolds(10, 15);
  p.Append(15, 9);
  p.ExpectHolds(19, 24);
}

}  // namespace
}  // namespace cedar
