// What a team of threads costs when it has nothing to do.
//
//   workers_bench

#include <benchmark/benchmark.h>

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
BENCHMARK(EmptyRegion)->Arg(2)->Arg(DefaultThreads())->UseRealTime();

}  // namespace
}  // namespace cedar::simd
