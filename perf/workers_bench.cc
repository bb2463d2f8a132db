// What a team of threads costs when it has nothing to do, alone and while others want its cores.
//
//   workers_bench
//
// A barrier of threads that spin until the last has come takes whole time slices of the system,
// some milliseconds, where one of them waits for its core.

#include <benchmark/benchmark.h>

#include <stop_token>
#include <thread>
#include <vector>

#include "simd/workers.h"

namespace cedar::simd {
namespace {

// Nothing to do for anybody: what remains is the way there and back.
void EmptyRegion(benchmark::State& state) {
  const int threads = static_cast<int>(state.range(0));
  const Workers workers(threads);
  const Workers::Body nothing = [](Range, int) {};
  for (auto _ : state) workers.ForRanges(static_cast<size_t>(threads), 1, nothing);
}

// The same with as many threads of others as there are cores, which never sleep.
void EmptyRegionAmongOthers(benchmark::State& state) {
  std::vector<std::jthread> others;
  for (int i = 0; i < DefaultThreads(); ++i) {
    others.emplace_back([](const std::stop_token& stop) {
      while (!stop.stop_requested()) {
      }
    });
  }
  EmptyRegion(state);
}
BENCHMARK(EmptyRegionAmongOthers)->Arg(DefaultThreads())->UseRealTime();
BENCHMARK(EmptyRegion)->Arg(2)->Arg(DefaultThreads())->UseRealTime();

}  // namespace
}  // namespace cedar::simd
