// Index scores of one token in the released shape, 32 heads of 128 channels against 16,384 packed
// keys, on one thread, for each ISA of this CPU (perf/shares.h explains the counters; operations
// are those on integers).
//
//   index_score_bench --benchmark_filter=avx3_zen4

#include <benchmark/benchmark.h>

#include <random>
#include <string>
#include <vector>

#include "perf/shares.h"
#include "simd/isa.h"
#include "simd/kernels.h"

namespace cedar::perf {
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

void IndexScores(benchmark::State& state, Isa isa) {
  const simd::Kernels& k = simd::KernelsFor(isa);
  const std::vector<uint8_t> queries = PackedRows(kHeads), keys = PackedRows(kRows);
  const std::vector<float> w(kHeads, 0.5f);
  std::vector<const uint8_t*> rows;
  for (size_t r = 0; r < kRows; ++r) rows.push_back(&keys[r * IndexKeyBytes(kDim)]);
  std::vector<float> scores(kRows);
  const simd::Workers workers(1);
  Shares shares(isa, workers, {keys});
  shares.Run(state, {static_cast<double>(keys.size()), 2.0 * kHeads * kDim * kRows}, [&] {
    k.index_scores(queries.data(), w.data(), kHeads, kDim, rows, scores.data());
    benchmark::ClobberMemory();
  });
}

const bool kRegistered = [] {
  for (const Isa isa : AvailableIsas()) {
    Configure(
        benchmark::RegisterBenchmark(("IndexScores/" + std::string(IsaName(isa))).c_str(),
                                     [isa](benchmark::State& state) { IndexScores(state, isa); }));
  }
  return true;
}();

}  // namespace
}  // namespace cedar::perf
