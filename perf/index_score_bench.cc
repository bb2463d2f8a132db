// Index scores of one token in the released shape, 32 heads of 128 channels against 16,384 keys,
// for each ISA of this CPU, on one thread. A product and its addition count as two operations.
//
//   index_score_bench --benchmark_filter=avx3_zen4

#include <benchmark/benchmark.h>

#include <random>
#include <string>
#include <vector>

#include "simd/isa.h"
#include "simd/kernels.h"

namespace cedar::simd {
namespace {

constexpr size_t kHeads = 32, kDim = 128, kRows = 16384;

// Packed rows of random codes; scales near 1.
std::vector<uint8_t> PackedRows(size_t rows) {
  std::mt19937 random(1);
  const size_t bytes = IndexKeyBytes(kDim);
  std::vector<uint8_t> packed(rows * bytes);
  for (size_t i = 0; i < packed.size(); ++i) {
    packed[i] = static_cast<uint8_t>(i % bytes < kDim / 2 ? random() : 120 + random() % 8);
  }
  return packed;
}

void IndexScores(benchmark::State& state, const Kernels& k) {
  const std::vector<uint8_t> queries = PackedRows(kHeads), keys = PackedRows(kRows);
  const std::vector<float> w(kHeads, 0.5f);
  std::vector<float> scores(kRows);
  for (auto _ : state) {
    k.index_scores(queries.data(), w.data(), kHeads, kDim, keys.data(), {0, kRows}, scores.data());
    benchmark::ClobberMemory();
  }
  state.counters["op/s"] =
      benchmark::Counter(2.0 * kHeads * kDim * kRows, benchmark::Counter::kIsIterationInvariantRate,
                         benchmark::Counter::kIs1000);
}

const bool kRegistered = [] {
  for (Isa isa : AvailableIsas()) {
    benchmark::RegisterBenchmark(
        ("IndexScores/" + std::string(IsaName(isa))).c_str(),
        [isa](benchmark::State& state) { IndexScores(state, KernelsFor(isa)); })
        ->Unit(benchmark::kMillisecond);
  }
  return true;
}();

}  // namespace
}  // namespace cedar::simd
