#include "engine/best_scores.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

#include "engine/arena.h"

namespace cedar {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

const simd::Kernels& Reference() { return simd::KernelsFor(Isa::kReference); }

// With memory of its own.
class Best {
 public:
  Best(size_t capacity, size_t part) {
    Arena counting(nullptr);
    BestScores(capacity, part, counting);
    memory_.resize(counting.used() + 64);
    Arena arena(memory_.data());
    best_ = BestScores(capacity, part, arena);
  }

  BestScores* operator->() { return &best_; }
  const BestScores& operator*() const { return best_; }

  // Adds scores [first, end) of `all`.
  void Add(const std::vector<float>& all, size_t first, size_t end) {
    std::copy(all.begin() + static_cast<std::ptrdiff_t>(first),
              all.begin() + static_cast<std::ptrdiff_t>(end), best_.Next());
    best_.Add(Reference(), first, end - first);
  }

  std::vector<int32_t> Indices() const { return {best_.indices().begin(), best_.indices().end()}; }

 private:
  std::vector<uint8_t> memory_;
  BestScores best_;
};

// By sorting: the definition.
std::vector<int32_t> Expected(const std::vector<float>& scores, size_t k) {
  std::vector<int32_t> order(scores.size());
  std::iota(order.begin(), order.end(), 0);
  std::erase_if(order, [&](int32_t i) { return scores[static_cast<size_t>(i)] == -kInfinity; });
  std::sort(order.begin(), order.end(), [&](int32_t a, int32_t b) {
    const float x = scores[static_cast<size_t>(a)], y = scores[static_cast<size_t>(b)];
    return x > y || (x == y && a < b);
  });
  order.resize(std::min(k, order.size()));
  std::sort(order.begin(), order.end());
  return order;
}

// Few values, so that there are ties, and some that nobody may choose.
std::vector<float> RandomScores(size_t n, int values) {
  std::mt19937 random(static_cast<unsigned>(n + static_cast<size_t>(values)));
  std::vector<float> scores(n);
  for (float& s : scores) {
    const int value = static_cast<int>(random() % static_cast<unsigned>(values));
    s = value == 0 ? -kInfinity : static_cast<float>(value);
  }
  return scores;
}

TEST(BestScoresTest, PartsOfAnySizeLeaveTheBestOfAll) {
  for (const int values : {3, 20, 100000}) {
    const std::vector<float> scores = RandomScores(1000, values);
    for (const size_t capacity : {1, 7, 64, 2000}) {
      for (const size_t part : {1, 8, 100, 1000}) {
        Best best(capacity, part);
        for (size_t first = 0; first < scores.size(); first += part) {
          best.Add(scores, first, std::min(scores.size(), first + part));
        }
        EXPECT_EQ(best.Indices(), Expected(scores, capacity)) << capacity << " by " << part;
        best->Clear();
        EXPECT_TRUE(best.Indices().empty());
      }
    }
  }
}

TEST(BestScoresTest, RunsComeTogether) {
  for (const int values : {3, 100000}) {
    const std::vector<float> scores = RandomScores(300, values);
    for (const size_t capacity : {1, 50, 200}) {
      Best first(capacity, 100), second(capacity, 100), third(capacity, 100);
      first.Add(scores, 0, 100);
      second.Add(scores, 100, 200);
      third.Add(scores, 200, 300);
      first->Add(Reference(), *second);
      first->Add(Reference(), *third);
      EXPECT_EQ(first.Indices(), Expected(scores, capacity)) << capacity;
    }
  }
}

}  // namespace
}  // namespace cedar
