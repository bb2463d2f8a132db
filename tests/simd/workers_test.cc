#include "simd/workers.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>
#include <vector>

#include "simd/cores.h"

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

int CpusOfThisThread() {
  cpu_set_t cpus;
  EXPECT_EQ(sched_getaffinity(0, sizeof(cpus), &cpus), 0);
  return CPU_COUNT(&cpus);
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

// Far more threads than cores, rounds of all sizes back to back: every index once, and what helpers
// wrote can be read when ForRanges returns.
TEST(WorkersTest, ManyRoundsInARow) {
  const Workers workers(8);
  std::vector<int> seen(300);
  for (int round = 1; round <= 3000; ++round) {
    const size_t n = static_cast<size_t>(round) % seen.size() + 1;
    std::vector<int> before = seen;
    workers.ForRanges(n, 1, [&](Range range, int) {
      for (size_t i = range.begin; i < range.end; ++i) ++seen[i];
    });
    for (size_t i = 0; i < n; ++i) ++before[i];
    ASSERT_EQ(seen, before) << "round " << round;
  }
}

// The helpers have gone to sleep when the next round comes.
TEST(WorkersTest, SleepersWakeUp) {
  const Workers workers(3);
  for (int round = 0; round < 5; ++round) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    // Nobody gets on alone: each index waits for the other two.
    std::atomic<int> here = 0;
    workers.ForRanges(3, 1, [&](Range, int) {
      ++here;
      while (here < 3) std::this_thread::yield();
    });
    EXPECT_EQ(here, 3);
  }
}

// A team that fills the machine is bound; its end, and a second one beside it, find all cores.
TEST(WorkersTest, BindingLastsAsLongAsTheTeam) {
  const std::vector<Core> cores = AllowedCores();
  const int all = static_cast<int>(cores.size());
  if (all < 2) GTEST_SKIP() << "needs two cores";
  {
    const Workers workers(all);
    EXPECT_EQ(CpusOfThisThread(), static_cast<int>(cores[0].cpus.size()));
    EXPECT_EQ(AllowedCores(), cores);
    EXPECT_TRUE(std::ranges::equal(workers.nodes(), NodesOf(cores)));
    const Workers unbound(all, Pinning::kNone);
    EXPECT_GT(CpusOfThisThread(), static_cast<int>(cores[0].cpus.size()));
  }
  EXPECT_GT(CpusOfThisThread(), static_cast<int>(cores[0].cpus.size()));
  const Workers larger(all + 1);
  EXPECT_GT(CpusOfThisThread(), static_cast<int>(cores[0].cpus.size()));
}

TEST(WorkersTest, ATeamThatIsNotBoundIsOnNoNode) {
  for (const int threads : {1, 2, 3}) {
    const Workers workers(threads, Pinning::kNone);
    ASSERT_EQ(workers.nodes().size(), 1u);
    EXPECT_EQ(workers.nodes()[0], (NodeThreads{kAnyNode, threads}));
    EXPECT_EQ(workers.NodeOfWorker(threads - 1), 0u);
  }
}

// Threads and cores must be as many, or it is left to the scheduler where they run.
TEST(WorkersTest, ATeamOfAnotherSizeThanTheCoresIsOnNoNode) {
  const Workers workers(DefaultThreads() + 1, Pinning::kCores);
  ASSERT_EQ(workers.nodes().size(), 1u);
  EXPECT_EQ(workers.nodes()[0].node, kAnyNode);
}

TEST(WorkersTest, NodesHaveTheirWorkersInOrder) {
  const std::vector<NodeThreads> nodes = {{0, 2}, {3, 1}, {1, 2}};
  const Workers workers(nodes);
  EXPECT_EQ(workers.threads(), 5);
  EXPECT_TRUE(std::ranges::equal(workers.nodes(), nodes));
  std::vector<size_t> of_worker;
  for (int worker = 0; worker < 5; ++worker) of_worker.push_back(workers.NodeOfWorker(worker));
  EXPECT_EQ(of_worker, (std::vector<size_t>{0, 0, 1, 2, 2}));
}

TEST(WorkersTest, ThereIsAtLeastOneCore) {
  EXPECT_GE(DefaultThreads(), 1);
  EXPECT_LE(DefaultThreads(), static_cast<int>(std::thread::hardware_concurrency()));
}

}  // namespace
}  // namespace cedar::simd
