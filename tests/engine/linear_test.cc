#include "engine/linear.h"

#include <gtest/gtest.h>

#include <deque>
#include <random>
#include <vector>

#include "engine/packed_bytes.h"
#include "tests/engine/golden_checkpoint.h"
#include "tests/engine/golden_step.h"
#include "tests/simd/matmul_cases.h"

namespace cedar {
namespace {

using Values = std::vector<float>;

// Products of all formats with several inputs: more than the scratch for packed inputs holds.
class Products {
 public:
  Products(const GoldenStep& s, size_t inputs) {
    const size_t rows = s.rows(), cols = s.config().hidden;
    for (size_t i = 0; i < inputs; ++i) {
      x_.push_back(simd::RandomRow(rows * cols, random_));
      for (const Format format : simd::kFormats) {
        matrices_.push_back(simd::RandomMatrix(format, kRows, cols, random_));
        y_.emplace_back(rows * kRows);
        tasks_.push_back({{x_.back().data(), cols, rows, rows},
                          &matrices_.back().view,
                          {.f32 = y_.back().data(), .stride = kRows}});
      }
    }
  }

  std::span<const LinearTask> tasks() const { return tasks_; }
  // What was computed last; forgotten then.
  std::vector<Values> Take() {
    std::vector<Values> taken(y_.begin(), y_.end());
    for (Values& y : y_) y.assign(y.size(), 0.0f);
    return taken;
  }

 private:
  static constexpr size_t kRows = 70;

  std::mt19937 random_{1};
  std::deque<std::vector<Bf16>> x_;
  std::deque<simd::TestMatrix> matrices_;
  std::deque<Values> y_;
  std::vector<LinearTask> tasks_;
};

TEST(LinearTest, TasksThatDoNotFitTogetherComeOutAsOneByOne) {
  const GoldenCheckpoint golden("tiny");
  GoldenStep s(golden, AvailableIsas().front(), RowKind::kPrompt);
  Products products(s, 24);
  size_t bytes = 0;
  for (const LinearTask& task : products.tasks()) {
    bytes += s.rows() * PackedStride(s.model().kernels, task.w->format, task.w->cols);
  }
  ASSERT_GT(bytes, 2 * s.scratch().packed_input_bytes);
  Linear(s.forward(), products.tasks());
  const std::vector<Values> together = products.Take();
  for (const LinearTask& task : products.tasks()) Linear(s.forward(), {&task, 1});
  EXPECT_EQ(together, products.Take());
}

}  // namespace
}  // namespace cedar
