#include "simd/workers.h"

#include <gtest/gtest.h>

#include <mutex>
#include <thread>
#include <vector>

namespace cedar::simd {
namespace {

struct Call {
  Range range;
  int worker;
};

std::vector<Call> Calls(int threads, size_t n, size_t grain) {
  std::vector<Call> calls;
  std::mutex mutex;
  Workers(threads).ForRanges(n, grain, [&](Range range, int worker) {
    const std::lock_guard<std::mutex> lock(mutex);
    calls.push_back({range, worker});
  });
  return calls;
}

TEST(WorkersTest, RangesCoverEverythingOnce) {
  for (int threads : {1, 2, 3, 7}) {
    for (size_t n : {0, 1, 2, 15, 16, 17, 100, 1000}) {
      for (size_t grain : {1, 2, 16, 64}) {
        std::vector<int> seen(n);
        for (const Call& call : Calls(threads, n, grain)) {
          EXPECT_LT(call.range.begin, call.range.end);
          EXPECT_EQ(call.range.begin % grain, 0u);
          EXPECT_TRUE(call.range.end == n || call.range.end % grain == 0);
          EXPECT_TRUE(call.worker >= 0 && call.worker < threads);
          for (size_t i = call.range.begin; i < call.range.end; ++i) ++seen.at(i);
        }
        EXPECT_EQ(seen, std::vector<int>(n, 1)) << threads << " threads, " << n << " / " << grain;
      }
    }
  }
}

TEST(WorkersTest, OneGrainRunsInTheCallingThread) {
  std::thread::id id;
  Workers(3).ForRanges(16, 16, [&](Range, int worker) {
    EXPECT_EQ(worker, 0);
    id = std::this_thread::get_id();
  });
  EXPECT_EQ(id, std::this_thread::get_id());
}

TEST(WorkersTest, WorkIsSharedFinely) {
  // Uneven work needs more ranges than threads.
  EXPECT_GE(Calls(2, 1000, 1).size(), 8u);
}

TEST(WorkersTest, ThereIsAtLeastOneCore) {
  EXPECT_GE(DefaultThreads(), 1);
  EXPECT_LE(DefaultThreads(), static_cast<int>(std::thread::hardware_concurrency()));
}

}  // namespace
}  // namespace cedar::simd
