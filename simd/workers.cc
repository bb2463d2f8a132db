#include "simd/workers.h"

#include <omp.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <fstream>
#include <set>
#include <string>

#include "simd/error.h"

namespace cedar::simd {

namespace {

// How many ranges each thread gets on average: enough to even out uneven work.
constexpr size_t kRangesPerThread = 8;

// How often a thread without work looks for more before it sleeps. libgomp's own 300,000 cost ten
// times the CPU time wherever another program wants the same cores; 5,000 (about 0.1 ms) bridge the
// gaps of a step just as well. It listens to nothing but this, and before main begins.
[[gnu::constructor(101)]] void LimitSpinning() { setenv("GOMP_SPINCOUNT", "5000", 0); }

// The CPUs that share the core of `cpu`, as Linux lists them; its own number where that is unknown.
std::string CoreOf(int cpu) {
  const std::string number = std::to_string(cpu);
  std::ifstream file("/sys/devices/system/cpu/cpu" + number + "/topology/thread_siblings_list");
  std::string siblings;
  return std::getline(file, siblings) ? siblings : number;
}

}  // namespace

Workers::Workers(int threads) : threads_(threads) { CEDAR_CHECK(threads >= 1); }

void Workers::ForRanges(size_t n, size_t grain,
                        const std::function<void(Range range, int worker)>& body) const {
  if (n == 0) return;
  if (n <= grain || threads_ == 1) return body({0, n}, 0);
  const size_t grains = (n + grain - 1) / grain;
  const size_t step = grain * std::max<size_t>(1, grains / (kRangesPerThread * threads_));
  const size_t ranges = (n + step - 1) / step;
  std::atomic<size_t> next = 0;
#pragma omp parallel num_threads(static_cast <int>(std::min <size_t>(threads_, ranges)))
  for (size_t i = next++; i < ranges; i = next++) {
    body({i * step, std::min(n, (i + 1) * step)}, omp_get_thread_num());
  }
}

int DefaultThreads() {
  constexpr int kMaxCpus = 16384;
  cpu_set_t* allowed = CPU_ALLOC(kMaxCpus);
  const size_t bytes = CPU_ALLOC_SIZE(kMaxCpus);
  std::set<std::string> cores;
  if (sched_getaffinity(0, bytes, allowed) == 0) {
    for (int cpu = 0; cpu < kMaxCpus; ++cpu) {
      if (CPU_ISSET_S(cpu, bytes, allowed)) cores.insert(CoreOf(cpu));
    }
  }
  CPU_FREE(allowed);
  return std::max<int>(1, static_cast<int>(cores.size()));
}

}  // namespace cedar::simd
