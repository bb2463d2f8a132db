// Attention in the released shape, 64 heads of 512 channels over 128 window rows and 512 compressed
// rows in their packed form, on one thread, for each ISA of this CPU (perf/shares.h explains the
// counters).
//
//   attend_bench --benchmark_filter=Token/avx3_zen4
//
// Token: one token; the argument is the number of heads in a call: 64 are all of them, fewer is
// what a thread gets when the heads of one token are split, where decoding the rows weighs more.
// Prompt: 512 tokens one after the other, each with its own window and selection; time is a
// token's.

#include <benchmark/benchmark.h>

#include <random>
#include <string>
#include <vector>

#include "perf/shares.h"
#include "simd/isa.h"
#include "simd/kernels.h"

namespace cedar::perf {
namespace {

using simd::Kernels;

constexpr size_t kHeads = 64, kHeadDim = 512, kWindow = 128, kSelected = 512, kStored = 16384;
constexpr size_t kTokens = 512;
constexpr double kFlopsOfHead = 4.0 * (kWindow + kSelected) * kHeadDim;
constexpr double kBytesOfToken = static_cast<double>(kWindow * WindowRowBytes(kHeadDim) +
                                                     kSelected * CompressedRowBytes(kHeadDim));

std::vector<Bf16> NormalRows(size_t n) {
  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  std::vector<Bf16> x;
  for (size_t i = 0; i < n; ++i) x.push_back(RoundToBf16(normal(random)));
  return x;
}

// Packed rows one after the other.
class Rows {
 public:
  Rows(void (*store)(const Bf16*, size_t, uint8_t*), size_t bytes, size_t rows)
      : bytes_(bytes), data_(rows * bytes) {
    const std::vector<Bf16> x = NormalRows(kHeadDim);
    for (size_t r = 0; r < rows; ++r) store(x.data(), kHeadDim, &data_[r * bytes]);
  }

  simd::Bytes bytes() const { return data_; }
  const uint8_t* row(size_t i) const { return &data_[i * bytes_]; }

  // `count` rows from the first on, `step` apart, in a ring.
  std::vector<const uint8_t*> Pick(size_t first, size_t step, size_t count) const {
    const size_t rows = data_.size() / bytes_;
    std::vector<const uint8_t*> picked;
    for (size_t i = 0; i < count; ++i) picked.push_back(row((first + i * step) % rows));
    return picked;
  }

 private:
  size_t bytes_;
  std::vector<uint8_t> data_;
};

// All that attention of `tokens` tokens needs.
struct Attention {
  Attention(const Kernels& kernels, size_t tokens)
      : k(kernels),
        window(k.store_window_row, WindowRowBytes(kHeadDim), kWindow + tokens),
        compressed(k.store_compressed_row, CompressedRowBytes(kHeadDim), kStored),
        q(NormalRows(kHeads * kHeadDim)),
        sink(kHeads),
        out(kHeads * kHeadDim),
        scratch(k.attend_scratch_bytes(kWindow + kSelected, kHeads, kHeadDim) + 64) {
    for (size_t t = 0; t < tokens; ++t) {
      windows.push_back(window.Pick(t, 1, kWindow));
      selections.push_back(compressed.Pick(t * 37, kStored / kSelected, kSelected));
    }
  }

  void Attend(size_t token, Range heads) {
    uint8_t* const aligned =
        scratch.data() + (64 - reinterpret_cast<uintptr_t>(scratch.data()) % 64) % 64;
    k.attend({q.data(), kHeads, kHeadDim, windows[token], selections[token], sink.data()}, heads,
             aligned, out.data());
    benchmark::ClobberMemory();
  }

  const Kernels& k;
  Rows window, compressed;
  std::vector<std::vector<const uint8_t*>> windows, selections;  // by token
  std::vector<Bf16> q;
  std::vector<float> sink;
  std::vector<Bf16> out;
  std::vector<uint8_t> scratch;
};

void Token(benchmark::State& state, Isa isa) {
  Attention attention(simd::KernelsFor(isa), 1);
  const Range heads{0, static_cast<size_t>(state.range(0))};
  const simd::Workers workers(1);
  Shares shares(isa, workers, {attention.compressed.bytes()});
  shares.Run(state, {kBytesOfToken, kFlopsOfHead * static_cast<double>(heads.size())},
             [&] { attention.Attend(0, heads); });
}

void Prompt(benchmark::State& state, Isa isa) {
  Attention attention(simd::KernelsFor(isa), kTokens);
  const simd::Workers workers(1);
  Shares shares(isa, workers, {attention.compressed.bytes()});
  size_t token = 0;
  shares.Run(state, {kBytesOfToken, kFlopsOfHead * kHeads}, [&] {
    attention.Attend(token, {0, kHeads});
    token = (token + 1) % kTokens;
  });
}

const bool kRegistered = [] {
  for (const Isa isa : AvailableIsas()) {
    const std::string name(IsaName(isa));
    auto* token = benchmark::RegisterBenchmark(
        ("Token/" + name).c_str(), [isa](benchmark::State& state) { Token(state, isa); });
    for (const int heads : {64, 16, 2}) token->Arg(heads);
    Configure(token);
    Configure(benchmark::RegisterBenchmark(("Prompt/" + name).c_str(),
                                           [isa](benchmark::State& state) { Prompt(state, isa); }),
              128);
  }
  return true;
}();

}  // namespace
}  // namespace cedar::perf
