// The kernels on rows of the released widths, one row at a time but for MixDots, on one thread, for
// each ISA of this CPU (perf/shares.h explains the counters).
//
//   rows_bench --benchmark_filter=Expand
//
// But for MixDots nothing here streams weights, and a decode step spends a few per cent in these
// kernels. Their bytes are what they read and write, which lies in caches: `read` beyond 1 says
// that they are faster than memory.

#include <benchmark/benchmark.h>

#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "perf/shares.h"
#include "simd/isa.h"
#include "simd/kernels.h"
#include "simd/memory.h"

namespace cedar::perf {
namespace {

using simd::Kernels;
using simd::MixParameters;
using simd::RouteParameters;

constexpr size_t kHidden = 5120, kStreams = 4, kHeads = 64, kHeadDim = 512, kRopeDim = 64;
constexpr size_t kIndexDim = 128, kExperts = 384, kChosen = 6, kIntermediate = 2304;
constexpr size_t kEngramRow = 256;
constexpr size_t kScores = 16384, kBest = 512, kScoreBlock = 128;

std::vector<float> Floats(size_t n) {
  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  std::vector<float> x(n);
  for (float& v : x) v = normal(random);
  return x;
}

std::vector<Bf16> Row(size_t n) {
  std::vector<Bf16> row;
  for (float v : Floats(n)) row.push_back(RoundToBf16(v));
  return row;
}

// Memory for the read probe.
simd::Bytes ReadMemory() {
  static const simd::Memory memory = [] {
    simd::Memory fresh(size_t{256} << 20, "memory to read");
    std::memset(fresh.data(), 1, fresh.bytes());
    return fresh;
  }();
  return {memory.data(), memory.bytes()};
}

// The kernel reads and writes so many bytes, and makes so many operations.
template <class Work>
void Measure(benchmark::State& state, const Kernels& k, size_t bytes, size_t operations,
             const Work& work) {
  const simd::Workers workers(1);
  Shares shares(k.isa, workers, {ReadMemory()});
  shares.Run(state, {static_cast<double>(bytes), static_cast<double>(operations)}, work);
}

void RmsNorm(benchmark::State& state, const Kernels& k) {
  const auto x = Row(kHidden);
  const auto weight = Floats(kHidden);
  std::vector<Bf16> out(kHidden);
  Measure(state, k, 8 * kHidden, 4 * kHidden,
          [&] { k.rms_norm(x.data(), weight.data(), kHidden, 1e-20, out.data()); });
}

void Rope(benchmark::State& state, const Kernels& k) {
  auto x = Row(kHeads * kHeadDim);
  const std::vector<float> cos(kRopeDim / 2, 0.8f), sin(kRopeDim / 2, 0.6f);
  Measure(state, k, 4 * kHeads * kRopeDim, 3 * kHeads * kRopeDim,
          [&] { k.rope(x.data(), kHeads, kHeadDim, kRopeDim, cos.data(), sin.data(), false); });
}

void StoreWindowRow(benchmark::State& state, const Kernels& k) {
  const auto x = Row(kHeadDim);
  std::vector<uint8_t> row(WindowRowBytes(kHeadDim));
  Measure(state, k, 2 * kHeadDim + row.size(), 2 * kHeadDim,
          [&] { k.store_window_row(x.data(), kHeadDim, row.data()); });
}

void StoreCompressedRow(benchmark::State& state, const Kernels& k) {
  const auto x = Row(kHeadDim);
  std::vector<uint8_t> row(CompressedRowBytes(kHeadDim));
  Measure(state, k, 2 * kHeadDim + row.size(), 2 * kHeadDim,
          [&] { k.store_compressed_row(x.data(), kHeadDim, row.data()); });
}

void StoreIndexKey(benchmark::State& state, const Kernels& k) {
  const auto x = Row(kIndexDim);
  std::vector<uint8_t> row(IndexKeyBytes(kIndexDim));
  Measure(state, k, 2 * kIndexDim + row.size(), 2 * kIndexDim,
          [&] { k.store_index_key(x.data(), kIndexDim, row.data()); });
}

void Pool(benchmark::State& state, const Kernels& k) {
  const auto x = Floats(4 * kHeadDim);
  const float* kv[] = {x.data(), x.data() + kHeadDim};
  const float* gate[] = {x.data() + 2 * kHeadDim, x.data() + 3 * kHeadDim};
  std::vector<Bf16> out(kHeadDim);
  Measure(state, k, 18 * kHeadDim, 8 * kHeadDim,
          [&] { k.pool(kv, gate, 2, kHeadDim, out.data()); });
}

// 64 tokens.
void MixDots(benchmark::State& state, const Kernels& k) {
  constexpr size_t kTokens = 64, kMixes = (2 + kStreams) * kStreams;
  const auto fn = Floats(kMixes * kStreams * kHidden);
  const auto streams = Row(kTokens * kStreams * kHidden);
  const WeightMatrix matrix = {Format::kF32, kMixes, kStreams * kHidden,
                               reinterpret_cast<const uint8_t*>(fn.data()), nullptr};
  std::vector<const Bf16*> tokens;
  for (size_t t = 0; t < kTokens; ++t) tokens.push_back(&streams[t * kStreams * kHidden]);
  std::vector<double> dots(kTokens * kMixes);
  Measure(state, k, 4 * fn.size() + 2 * streams.size(), 2 * kTokens * fn.size(), [&] {
    k.mix_dots(matrix, {0, kMixes}, tokens, dots.data());
  });
}

void MixFinish(benchmark::State& state, const Kernels& k) {
  const size_t mixes = (2 + kStreams) * kStreams;
  const auto streams = Row(kStreams * kHidden);
  const auto base = Floats(mixes), scale = Floats(3);
  const std::vector<double> dots(mixes, 0.5);
  const MixParameters p{.hc = kStreams,
                        .hidden = kHidden,
                        .base = base.data(),
                        .scale = scale.data(),
                        .norm_eps = 1e-20,
                        .hc_eps = 1e-6,
                        .sinkhorn_iters = 20};
  std::vector<float> out(mixes);
  Measure(state, k, 2 * kStreams * kHidden, 2 * kStreams * kHidden, [&] {
    k.mix_finish(p, dots.data(), streams.data(), out.data(), out.data() + kStreams,
                 out.data() + 2 * kStreams);
  });
}

void Collapse(benchmark::State& state, const Kernels& k) {
  const auto streams = Row(kStreams * kHidden);
  const std::vector<float> pre(kStreams, 0.25f);
  std::vector<Bf16> out(kHidden);
  Measure(state, k, 2 * (kStreams + 1) * kHidden, 2 * kStreams * kHidden,
          [&] { k.collapse(streams.data(), pre.data(), kStreams, kHidden, out.data()); });
}

void Expand(benchmark::State& state, const Kernels& k) {
  auto streams = Row(kStreams * kHidden);
  const auto y = Row(kHidden);
  const std::vector<float> post(kStreams, 0.5f), comb(kStreams * kStreams, 0.25f);
  Measure(state, k, 2 * (2 * kStreams + 1) * kHidden, 2 * (kStreams + 1) * kStreams * kHidden,
          [&] { k.expand(y.data(), post.data(), comb.data(), kStreams, kHidden, streams.data()); });
}

void Route(benchmark::State& state, const Kernels& k) {
  const auto logits = Floats(kExperts);
  const std::vector<float> bias(kExperts, 0.1f);
  const RouteParameters p{.experts = kExperts,
                          .count = kChosen,
                          .normalise = true,
                          .scaling = 1.5f,
                          .bias = bias.data()};
  std::vector<int32_t> ids(kChosen);
  std::vector<float> weights(kChosen);
  Measure(state, k, 8 * kExperts, 8 * kExperts,
          [&] { k.route(p, logits.data(), ids.data(), weights.data()); });
}

void Swiglu(benchmark::State& state, const Kernels& k) {
  const auto gate = Row(kIntermediate), up = Row(kIntermediate);
  const float weight = 0.3f;
  std::vector<Bf16> out(kIntermediate);
  Measure(state, k, 6 * kIntermediate, 8 * kIntermediate,
          [&] { k.swiglu(gate.data(), up.data(), kIntermediate, 10, &weight, out.data()); });
}

void SumRows(benchmark::State& state, const Kernels& k) {
  const auto x = Row((kChosen + 1) * kHidden);
  std::vector<const Bf16*> parts;
  for (size_t i = 0; i <= kChosen; ++i) parts.push_back(x.data() + i * kHidden);
  std::vector<Bf16> out(kHidden);
  Measure(state, k, 2 * (kChosen + 2) * kHidden, (kChosen + 1) * kHidden,
          [&] { k.sum_rows(parts.data(), parts.size(), kHidden, out.data()); });
}

void DecodeEngramRow(benchmark::State& state, const Kernels& k) {
  const std::vector<uint8_t> codes(kEngramRow, 0x35), scales(kEngramRow / kScaleBlock, 120);
  std::vector<Bf16> out(kEngramRow);
  Measure(state, k, 3 * kEngramRow, kEngramRow,
          [&] { k.decode_engram_row(codes.data(), scales.data(), kEngramRow, out.data()); });
}

void EngramGate(benchmark::State& state, const Kernels& k) {
  const auto kv = Row((kStreams + 1) * kHidden);
  auto streams = Row(kStreams * kHidden);
  const std::vector<double> qk_weight(kStreams * kHidden, 0.7);
  Measure(state, k, 2 * (3 * kStreams + 1) * kHidden + 8 * kStreams * kHidden,
          8 * kStreams * kHidden, [&] {
            k.engram_gate(kv.data(), qk_weight.data(), kStreams, kHidden, 1e-20, streams.data());
          });
}

// The 512 best of 16,384 scores; an operation is one look at a score.
void TopK(benchmark::State& state, const Kernels& k) {
  const auto scores = Floats(kScores);
  std::vector<int32_t> best(kBest);
  Measure(state, k, 4 * kScores, kScores,
          [&] { k.top_k(scores.data(), kScores, kBest, best.data()); });
}

void BlockMax(benchmark::State& state, const Kernels& k) {
  const auto scores = Floats(kScores);
  std::vector<float> maxima(kScores / kScoreBlock);
  Measure(state, k, 4 * kScores, kScores,
          [&] { k.block_max(scores.data(), kScores, kScoreBlock, maxima.data()); });
}

using Bench = void (*)(benchmark::State&, const Kernels&);
constexpr std::pair<const char*, Bench> kBenches[] = {
    {"RmsNorm", RmsNorm},
    {"Rope", Rope},
    {"StoreWindowRow", StoreWindowRow},
    {"StoreCompressedRow", StoreCompressedRow},
    {"StoreIndexKey", StoreIndexKey},
    {"Pool", Pool},
    {"MixDots", MixDots},
    {"MixFinish", MixFinish},
    {"Collapse", Collapse},
    {"Expand", Expand},
    {"Route", Route},
    {"Swiglu", Swiglu},
    {"SumRows", SumRows},
    {"DecodeEngramRow", DecodeEngramRow},
    {"EngramGate", EngramGate},
    {"TopK", TopK},
    {"BlockMax", BlockMax},
};

const bool registered = [] {
  for (const auto& [name, bench] : kBenches) {
    for (Isa isa : AvailableIsas()) {
      const std::string full = std::string(name) + "/" + std::string(IsaName(isa));
      auto* registered = benchmark::RegisterBenchmark(full.c_str(), bench, simd::KernelsFor(isa));
      Configure(registered);
      registered->Unit(benchmark::kMicrosecond);
    }
  }
  return true;
}();

}  // namespace
}  // namespace cedar::perf
