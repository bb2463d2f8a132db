#include "engine/spread_rows.h"

#include <gtest/gtest.h>

#include <mutex>
#include <vector>

namespace cedar {
namespace {

// How often each row of each matrix was given to a body.
std::vector<std::vector<int>> Visits(int threads, const std::vector<size_t>& rows) {
  std::vector<std::vector<int>> visits;
  for (const size_t n : rows) visits.emplace_back(n);
  std::mutex mutex;
  const simd::Workers workers(threads);
  SpreadRows(workers, rows, [&](size_t matrix, Range range, int worker) {
    const std::lock_guard<std::mutex> lock(mutex);
    EXPECT_LT(worker, threads);
    EXPECT_EQ(range.begin % 64, 0u);
    EXPECT_TRUE(range.end % 64 == 0 || range.end == rows[matrix]);
    for (size_t i = range.begin; i < range.end; ++i) ++visits[matrix][i];
  });
  return visits;
}

TEST(SpreadRowsTest, EveryRowOfEveryMatrixOnce) {
  const std::vector<size_t> rows = {1, 0, 64, 65, 2304, 31, 0, 5120};
  std::vector<std::vector<int>> once;
  for (const size_t n : rows) once.emplace_back(n, 1);
  for (const int threads : {1, 2, 5}) EXPECT_EQ(Visits(threads, rows), once) << threads;
}

TEST(SpreadRowsTest, NothingToDo) { EXPECT_TRUE(Visits(2, {}).empty()); }

}  // namespace
}  // namespace cedar
