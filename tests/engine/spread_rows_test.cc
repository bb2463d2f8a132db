#include "engine/spread_rows.h"

#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <thread>
#include <vector>

#include "simd/nodes.h"

namespace cedar {
namespace {

using Nodes = std::vector<simd::NodeThreads>;

// How often each row of each matrix was given to a body.
std::vector<std::vector<int>> Visits(const simd::Workers& workers,
                                     const std::vector<size_t>& rows) {
  std::vector<std::vector<int>> visits;
  for (const size_t n : rows) visits.emplace_back(n);
  std::mutex mutex;
  SpreadRows(workers, rows, [&](size_t matrix, Range range, int worker) {
    const std::lock_guard<std::mutex> lock(mutex);
    EXPECT_LT(worker, workers.threads());
    EXPECT_LT(range.begin, range.end);
    EXPECT_EQ(range.begin % 32, 0u);
    EXPECT_TRUE(range.end % 32 == 0 || range.end == rows[matrix]);
    for (size_t i = range.begin; i < range.end; ++i) ++visits[matrix][i];
  });
  return visits;
}

TEST(SpreadRowsTest, EveryRowOfEveryMatrixOnce) {
  const std::vector<size_t> rows = {1, 0, 64, 65, 2304, 31, 0, 5120};
  std::vector<std::vector<int>> once;
  for (const size_t n : rows) once.emplace_back(n, 1);
  for (const int threads : {1, 2, 5}) {
    EXPECT_EQ(Visits(simd::Workers(threads), rows), once) << threads;
  }
  for (const Nodes& nodes : {Nodes{{0, 1}, {1, 1}}, {{0, 1}, {1, 3}}, {{2, 2}, {0, 1}, {1, 2}}}) {
    EXPECT_EQ(Visits(simd::Workers(nodes), rows), once) << nodes.size() << " nodes";
  }
}

// Every thread begins with rows of its own node, though no thread may take a second range before
// all have one.
TEST(SpreadRowsTest, ThreadsBeginWithRowsOfTheirNode) {
  const std::vector<size_t> rows = {2304, 2304, 5120};
  for (const Nodes& nodes : {Nodes{{0, 2}, {1, 2}}, {{0, 3}, {1, 1}}}) {
    const simd::Workers workers(nodes);
    std::vector<std::atomic<bool>> seen(static_cast<size_t>(workers.threads()));
    std::atomic<int> here = 0;
    SpreadRows(workers, rows, [&](size_t matrix, Range range, int worker) {
      if (seen[static_cast<size_t>(worker)].exchange(true)) return;
      const Range own = simd::RowsOfNode(rows[matrix], nodes, workers.NodeOfWorker(worker));
      EXPECT_GE(range.begin, own.begin);
      EXPECT_LE(range.end, own.end);
      ++here;
      while (here < workers.threads()) std::this_thread::yield();
    });
  }
}

TEST(SpreadRowsTest, NothingToDo) { EXPECT_TRUE(Visits(simd::Workers(2), {}).empty()); }

}  // namespace
}  // namespace cedar
