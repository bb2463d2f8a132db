// FP8 projections at the released widths, by the engine's own code: activations are packed, weight
// rows split over the threads (perf/shares.h explains the counters).
//
//   projection_bench --benchmark_filter=Decode/5120_8192/avx3_zen4
//
// Decode: one generated row times weights that stream from memory. Prefill: 512 prompt rows. The
// argument is the number of threads.

#include <benchmark/benchmark.h>

#include <random>
#include <string>
#include <vector>

#include "engine/forward.h"
#include "engine/linear.h"
#include "engine/model.h"
#include "engine/scratch.h"
#include "perf/random_weights.h"
#include "perf/shares.h"
#include "perf/tiny_model.h"

namespace cedar::perf {
namespace {

constexpr size_t kTokens = 512;
constexpr size_t kStreamed = size_t{600} << 20;  // bytes of weights: more than any cache holds

struct Shape {
  const char* name;
  size_t cols, rows;
};
constexpr Shape kShapes[] = {{"5120_8192", 5120, 8192}, {"1280_32768", 1280, 32768}};

class Projection {
 public:
  Projection(const Shape& shape, Isa isa, int threads, size_t rows, RowKind kind)
      : shape_(shape),
        rows_(rows),
        prompt_rows_(kind == RowKind::kPrompt ? rows : 0),
        count_(kStreamed / (shape.rows * shape.cols)),
        weights_(Format::kFp8, shape.rows, shape.cols, count_),
        tiny_(isa, threads),
        scratch_(tiny_.model().config, tiny_.model().plan, tiny_.PlanFor(rows)),
        y_(rows * shape.rows) {
    std::mt19937 random(2);
    std::normal_distribution<float> normal;
    for (size_t i = 0; i < rows * shape.cols; ++i) x_.push_back(RoundToBf16(normal(random)));
  }

  const simd::Workers& workers() const { return tiny_.model().workers; }
  simd::Bytes weights() const { return weights_.bytes(); }
  size_t count() const { return count_; }

  // With the next matrix.
  void Run() {
    const WeightMatrix w = weights_[next_++ % count_];
    Linear({tiny_.model(), scratch_}, {x_.data(), shape_.cols, rows_, prompt_rows_},
           {{&w, {.bf16 = y_.data(), .stride = shape_.rows}}});
  }

  CallCost Cost() const {
    return {static_cast<double>(MatrixBytes(weights_[0])),
            2.0 * static_cast<double>(shape_.rows * shape_.cols * rows_)};
  }

 private:
  Shape shape_;
  size_t rows_, prompt_rows_, count_;
  RandomWeights weights_;
  TinyModel tiny_;
  Scratch scratch_;
  std::vector<Bf16> x_, y_;
  size_t next_ = 0;
};

void Decode(benchmark::State& state, const Shape& shape, Isa isa) {
  Projection projection(shape, isa, static_cast<int>(state.range(0)), 1, RowKind::kGenerated);
  Shares shares(isa, projection.workers(), {projection.weights()});
  shares.Run(
      state, projection.Cost(), [&] { projection.Run(); }, projection.count());
}

void Prefill(benchmark::State& state, const Shape& shape, Isa isa) {
  Projection projection(shape, isa, static_cast<int>(state.range(0)), kTokens, RowKind::kPrompt);
  Shares shares(isa, projection.workers(), {projection.weights()});
  shares.Run(state, projection.Cost(), [&] { projection.Run(); });
}

const bool kRegistered = [] {
  for (const Isa isa : AvailableIsas()) {
    if (isa == Isa::kReference) continue;
    for (const Shape& shape : kShapes) {
      const std::string name = std::string(shape.name) + "/" + std::string(IsaName(isa));
      auto* decode = benchmark::RegisterBenchmark(
          ("Decode/" + name).c_str(), [=](benchmark::State& state) { Decode(state, shape, isa); });
      auto* prefill = benchmark::RegisterBenchmark(
          ("Prefill/" + name).c_str(),
          [=](benchmark::State& state) { Prefill(state, shape, isa); });
      Configure(decode->Arg(1)->Arg(2));
      Configure(prefill->Arg(1)->Arg(2), 5);
    }
  }
  return true;
}();

}  // namespace
}  // namespace cedar::perf
