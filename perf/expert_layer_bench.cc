// The mixture of experts of one layer at the released widths, by the engine's own code: the router,
// 6 of 64 routed experts in FP4 and the shared one in FP8 (perf/shares.h explains the counters).
//
//   expert_layer_bench --benchmark_filter=avx3_zen4
//
// Decode: one generated token; successive ones meet other experts, so that all weights stream from
// memory. Prefill: 512 prompt tokens that go to experts by chance. Both in both numerics; `peak` of
// int8 is a share of the peak of byte dots, though the shared expert's products are none. The
// argument is the number of threads.

#include <benchmark/benchmark.h>

#include <optional>
#include <random>
#include <string>
#include <vector>

#include "engine/forward.h"
#include "engine/model.h"
#include "engine/moe.h"
#include "engine/scratch.h"
#include "perf/random_weights.h"
#include "perf/shares.h"
#include "perf/tiny_model.h"

namespace cedar::perf {
namespace {

constexpr size_t kHidden = 5120, kInner = 2304, kExperts = 64, kChosen = 6, kTokens = 512;

// The three matrices of `count` experts.
struct Experts {
  Experts(Format format, size_t count)
      : w1(format, kInner, kHidden, count),
        w3(format, kInner, kHidden, count),
        w2(format, kHidden, kInner, count) {}
  ExpertWeights operator[](size_t i) const { return {w1[i], w3[i], w2[i]}; }
  RandomWeights w1, w3, w2;
};

// Layers share the routed experts; each has a shared one of its own.
struct Weights {
  Experts routed{Format::kFp4, kExperts};
  Experts shared{Format::kFp8, kTinyLayers};
  RandomWeights gates{Format::kF32, kExperts, kHidden, kTinyLayers};

  std::vector<simd::Bytes> bytes() const {
    return {routed.w1.bytes(), routed.w3.bytes(), routed.w2.bytes(),
            shared.w1.bytes(), shared.w3.bytes(), shared.w2.bytes()};
  }
};

// All benchmarks measure the same weights.
const Weights& SharedWeights() {
  static const Weights weights;
  return weights;
}

// Makes them those of the model.
void PutInPlace(const Weights& weights, Model& model) {
  model.config.experts = kExperts;
  model.config.moe_hidden = kInner;
  for (size_t i = 0; i < kTinyLayers; ++i) {
    MoeWeights& moe = model.weights.layers[i].moe;
    moe.gate = weights.gates[i];
    moe.bias.assign(kExperts, 0);
    moe.routed.clear();
    for (size_t e = 0; e < kExperts; ++e) moe.routed.push_back(weights.routed[e]);
    moe.shared = weights.shared[i];
  }
}

class ExpertLayer {
 public:
  ExpertLayer(Isa isa, int threads, Numerics numerics, size_t rows, RowKind kind)
      : tiny_(isa, threads, numerics) {
    PutInPlace(SharedWeights(), tiny_.model());
    scratch_.emplace(tiny_.model().config, tiny_.model().plan, tiny_.PlanFor(rows));
    step_.rows = rows;
    step_.prompt_rows = kind == RowKind::kPrompt ? rows : 0;
    std::mt19937 random(2);
    std::normal_distribution<float> normal;
    for (size_t i = 0; i < rows * kHidden; ++i) scratch_->x[i] = RoundToBf16(normal(random));
  }

  const simd::Workers& workers() const { return tiny_.model().workers; }

  void Run() {
    MixtureOfExperts({tiny_.model(), *scratch_}, layer_, step_, scratch_->x, scratch_->y);
    layer_ = (layer_ + 1) % kTinyLayers;
  }

  // Lets the next token choose the experts that were not chosen for the longest time.
  void RotateExperts() {
    std::vector<float>& bias = tiny_.model().weights.layers[layer_].moe.bias;
    bias.assign(kExperts, 0);
    for (size_t i = 0; i < kChosen; ++i) bias[next_++ % kExperts] = 1000;
  }

  // What a call reads and computes when it chooses `experts` different experts.
  CallCost Cost(size_t experts) const {
    const MoeWeights& moe = tiny_.model().weights.layers[0].moe;
    const auto bytes = [](const ExpertWeights& expert) {
      return MatrixBytes(expert.w1) + MatrixBytes(expert.w3) + MatrixBytes(expert.w2);
    };
    const size_t parameters = kExperts * kHidden + (kChosen + 1) * 3 * kHidden * kInner;
    return {static_cast<double>(experts * bytes(moe.routed[0]) + bytes(moe.shared) +
                                MatrixBytes(moe.gate)),
            2.0 * static_cast<double>(parameters * step_.rows)};
  }

 private:
  TinyModel tiny_;
  std::optional<Scratch> scratch_;
  Step step_;
  size_t layer_ = 0;
  size_t next_ = 0;
};

void Decode(benchmark::State& state, Isa isa, Numerics numerics) {
  const int threads = static_cast<int>(state.range(0));
  ExpertLayer layer(isa, threads, numerics, 1, RowKind::kGenerated);
  Shares shares(isa, layer.workers(), SharedWeights().bytes());
  if (numerics == Numerics::kInt8) shares.set_int8();
  // So many tokens in a row meet nearly all experts.
  shares.Run(
      state, layer.Cost(kChosen),
      [&] {
        layer.RotateExperts();
        layer.Run();
      },
      kExperts / kChosen);
}

void Prefill(benchmark::State& state, Isa isa, Numerics numerics) {
  const int threads = static_cast<int>(state.range(0));
  ExpertLayer layer(isa, threads, numerics, kTokens, RowKind::kPrompt);
  Shares shares(isa, layer.workers(), SharedWeights().bytes());
  if (numerics == Numerics::kInt8) shares.set_int8();
  shares.Run(state, layer.Cost(kExperts), [&] { layer.Run(); });
}

const bool kRegistered = [] {
  for (const Isa isa : AvailableIsas()) {
    if (isa == Isa::kReference) continue;
    for (const Numerics numerics : {Numerics::kReference, Numerics::kInt8}) {
      const std::string name =
          std::string(IsaName(isa)) + "/" + std::string(NumericsName(numerics));
      auto* decode = benchmark::RegisterBenchmark(
          ("Decode/" + name).c_str(),
          [=](benchmark::State& state) { Decode(state, isa, numerics); });
      auto* prefill = benchmark::RegisterBenchmark(
          ("Prefill/" + name).c_str(),
          [=](benchmark::State& state) { Prefill(state, isa, numerics); });
      Configure(decode->Arg(1)->Arg(2));
      Configure(prefill->Arg(1)->Arg(2), 5);
    }
  }
  return true;
}();

}  // namespace
}  // namespace cedar::perf
