// Attention of one token in the released shape, 128 window rows and 512 compressed rows of 512
// channels, for each ISA of this CPU, on one thread.
//
//   attend_bench --benchmark_filter=avx3_zen4
//
// The argument is the number of heads in a call: 64 are all of them; fewer is what a thread gets
// when the heads of one token are split, where decoding the rows weighs more.

#include <benchmark/benchmark.h>

#include <random>
#include <string>
#include <vector>

#include "simd/isa.h"
#include "simd/kernels.h"

namespace cedar::simd {
namespace {

constexpr size_t kHeads = 64, kHeadDim = 512, kWindow = 128, kSelected = 512, kStored = 16384;

std::vector<Bf16> NormalRows(size_t n) {
  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  std::vector<Bf16> x;
  for (size_t i = 0; i < n; ++i) x.push_back(RoundToBf16(normal(random)));
  return x;
}

// Packed rows, and pointers to `picked` of them spread over the whole.
struct Rows {
  Rows(void (*store)(const Bf16*, size_t, uint8_t*), size_t bytes, size_t rows, size_t picked)
      : data(rows * bytes) {
    const std::vector<Bf16> x = NormalRows(kHeadDim);
    for (size_t r = 0; r < rows; ++r) store(x.data(), kHeadDim, &data[r * bytes]);
    for (size_t i = 0; i < picked; ++i) pointers.push_back(&data[i * rows / picked * bytes]);
  }
  std::vector<uint8_t> data;
  std::vector<const uint8_t*> pointers;
};

void Attend(benchmark::State& state, const Kernels& k) {
  const Rows window(k.store_window_row, WindowRowBytes(kHeadDim), kWindow, kWindow);
  const Rows selected(k.store_compressed_row, CompressedRowBytes(kHeadDim), kStored, kSelected);
  const std::vector<Bf16> q = NormalRows(kHeads * kHeadDim);
  const std::vector<float> sink(kHeads);
  const AttendInput in = {q.data(),          kHeads,     kHeadDim, window.pointers,
                          selected.pointers, sink.data()};
  const Range heads = {0, static_cast<size_t>(state.range(0))};
  std::vector<Bf16> out(kHeads * kHeadDim);
  std::vector<uint8_t> scratch(k.attend_scratch_bytes(kWindow + kSelected, kHeads, kHeadDim) + 64);
  uint8_t* aligned = scratch.data() + (64 - reinterpret_cast<uintptr_t>(scratch.data()) % 64) % 64;
  for (auto _ : state) {
    k.attend(in, heads, aligned, out.data());
    benchmark::ClobberMemory();
  }
  const double operations = 4.0 * heads.size() * (kWindow + kSelected) * kHeadDim;
  state.counters["FLOP/s"] = benchmark::Counter(
      operations, benchmark::Counter::kIsIterationInvariantRate, benchmark::Counter::kIs1000);
}

const bool kRegistered = [] {
  for (Isa isa : AvailableIsas()) {
    benchmark::RegisterBenchmark(("Attend/" + std::string(IsaName(isa))).c_str(),
                                 [isa](benchmark::State& state) { Attend(state, KernelsFor(isa)); })
        ->Arg(64)
        ->Arg(16)
        ->Arg(2)
        ->Unit(benchmark::kMillisecond);
  }
  return true;
}();

}  // namespace
}  // namespace cedar::simd
