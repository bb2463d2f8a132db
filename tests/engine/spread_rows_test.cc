#include "engine/spread_rows.h"

#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <thread>
#include <tuple>
#include <vector>

#include "simd/nodes.h"

namespace cedar {
namespace {

using Nodes = std::vector<simd::NodeThreads>;

// How often each row of each matrix was given to a body.
std::vector<std::vector<int>> Visits(const simd::Workers& workers, const std::vector<size_t>& rows,
                                     size_t fewest = 32) {
  std::vector<std::vector<int>> visits;
  for (const size_t n : rows) visits.emplace_back(n);
  std::mutex mutex;
  SpreadRows(workers, rows, fewest, [&](size_t matrix, Range range, int worker) {
    const std::lock_guard<std::mutex> lock(mutex);
    EXPECT_LT(worker, workers.threads());
    EXPECT_LT(range.begin, range.end);
    EXPECT_EQ(range.begin % fewest, 0u);
    EXPECT_TRUE(range.end % fewest == 0 || range.end == rows[matrix]);
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
    SpreadRows(workers, rows, 32, [&](size_t matrix, Range range, int worker) {
      if (seen[static_cast<size_t>(worker)].exchange(true)) return;
      const Range own = simd::RowsOfNode(rows[matrix], nodes, workers.NodeOfWorker(worker));
      EXPECT_GE(range.begin, own.begin);
      EXPECT_LE(range.end, own.end);
      ++here;
      while (here < workers.threads()) std::this_thread::yield();
    });
  }
}

// A router of 384 rows for 16 threads: 48 blocks of 8 rows, not 6 of 64.
TEST(SpreadRowsTest, SmallMatricesKeepAllThreadsBusy) {
  const simd::Workers workers(16);
  for (const auto& [rows, fewest, expected] :
       {std::tuple{384, 8, 8}, {384, 32, 32}, {1792, 8, 16}, {5120, 8, 64}, {100, 8, 8}}) {
    std::atomic<size_t> longest = 0;
    const std::vector<size_t> one{static_cast<size_t>(rows)};
    SpreadRows(workers, one, static_cast<size_t>(fewest), [&](size_t, Range range, int) {
      for (size_t seen = longest;
           seen < range.size() && !longest.compare_exchange_weak(seen, range.size());) {
      }
    });
    EXPECT_EQ(longest, static_cast<size_t>(expected)) << rows << " rows";
  }
  EXPECT_EQ(Visits(workers, {384, 7, 1792}, 8),
            (std::vector<std::vector<int>>{std::vector<int>(384, 1), std::vector<int>(7, 1),
                                           std::vector<int>(1792, 1)}));
}

TEST(SpreadRowsTest, NothingToDo) { EXPECT_TRUE(Visits(simd::Workers(2), {}).empty()); }

}  // namespace
}  // namespace cedar
