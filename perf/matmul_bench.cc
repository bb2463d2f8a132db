// Matrix products at the released widths, one thread, weights streaming from memory: for each ISA
// of this CPU, table (generated, prompt, integer), format and number of activation rows.
//
//   matmul_bench --benchmark_filter=avx3_zen4/generated
//
// perf/shares.h explains the counters. Few rows: all matrices in turn, from memory. Many:
// arithmetic counts.

#include <benchmark/benchmark.h>

#include <random>
#include <span>
#include <string>
#include <vector>

#include "perf/random_weights.h"
#include "perf/shares.h"
#include "simd/isa.h"
#include "simd/kernels.h"
#include "simd/matmul_onednn.h"
#include "simd/memory.h"
#include "simd/workers.h"
#include "weights/matrix_bytes.h"

namespace cedar::perf {
namespace {

using simd::MatMul;
using simd::Memory;

struct Shape {
  const char* name;
  Format format;
  Activation activation;
  size_t rows, cols;
};

constexpr Shape kShapes[] = {
    {"fp4_expert_w1", Format::kFp4, Activation::kFp8, 2304, 5120},
    {"fp4_expert_w2", Format::kFp4, Activation::kFp8, 5120, 2304},
    {"fp8_5120_8192", Format::kFp8, Activation::kFp8, 8192, 5120},
    {"fp8_1280_32768", Format::kFp8, Activation::kFp8, 32768, 1280},
    {"bf16_head_part", Format::kBf16, Activation::kBf16, 8192, 5120},
    {"f32_gates", Format::kF32, Activation::kBf16, 1024, 5120},
};

constexpr size_t kStreamed = 400 << 20;  // bytes of weights in turn: far more than any cache
constexpr size_t kManyRows = 16;

// Packed random activations.
class Activations {
 public:
  Activations(const MatMul& matmul, const Shape& s, Activation activation, size_t rows)
      : stride_(matmul.packed_bytes(s.format, s.cols)), memory_(rows * stride_, "activations") {
    std::mt19937 random(2);
    std::normal_distribution<float> normal;
    std::vector<Bf16> x(s.cols);
    for (size_t i = 0; i < rows; ++i) {
      for (Bf16& v : x) v = RoundToBf16(normal(random));
      uint8_t* row = memory_.data() + i * stride_;
      matmul.pack(s.format, activation, x.data(), s.cols, {0, s.cols}, row);
      rows_.push_back(row);
    }
  }
  std::span<const uint8_t* const> rows() const { return rows_; }

 private:
  size_t stride_;
  Memory memory_;
  std::vector<const uint8_t*> rows_;
};

struct Table {
  std::string name;
  MatMul matmul;
  bool bytes = false;
};

// A product of the next matrix at each call.
class Product {
 public:
  Product(const Table& table, const Shape& shape, size_t tokens)
      : matmul_(table.matmul),
        tokens_(tokens),
        count_(kStreamed / MatrixBytes({shape.format, shape.rows, shape.cols, nullptr, nullptr})),
        weights_(shape.format, shape.rows, shape.cols, count_),
        x_(matmul_, shape, table.bytes ? Activation::kInt8 : shape.activation, tokens),
        scratch_(matmul_.scratch_bytes(shape.format, shape.cols) + 64, "scratch"),
        y_(tokens * shape.rows * sizeof(float), "products") {}

  void Run() {
    const WeightMatrix w = weights_[next_++ % count_];
    matmul_.multiply(w, {0, w.rows}, x_.rows(),
                     {.f32 = reinterpret_cast<float*>(y_.data()), .stride = w.rows},
                     scratch_.data());
  }

  size_t count() const { return count_; }
  simd::Bytes weights() const { return weights_.bytes(); }
  CallCost Cost() const {
    const WeightMatrix w = weights_[0];
    return {static_cast<double>(MatrixBytes(w)),
            2.0 * static_cast<double>(w.rows * w.cols * tokens_)};
  }

 private:
  MatMul matmul_;
  size_t tokens_, count_;
  RandomWeights weights_;
  Activations x_;
  Memory scratch_, y_;
  size_t next_ = 0;
};

void Measure(benchmark::State& state, const Table& table, Isa isa, const Shape& shape) {
  const size_t tokens = static_cast<size_t>(state.range(0));
  Product product(table, shape, tokens);
  const simd::Workers workers(1);
  Shares shares(isa, workers, {product.weights()});
  if (table.bytes) shares.set_int8();
  const size_t least = tokens < kManyRows ? product.count() : 1;
  shares.Run(
      state, product.Cost(), [&] { product.Run(); }, least);
}

// The tables worth measuring, by name; onednn also where nothing chooses it.
std::vector<Table> Tables(Isa isa) {
  std::vector<Table> tables = {{"generated", simd::KernelsFor(isa).generated},
                               {"prompt", simd::KernelsFor(isa).prompt},
                               {"integer", simd::KernelsFor(isa).integer, /*bytes=*/true}};
  if (const auto onednn = simd::OneDnnMatMul(isa)) tables.push_back({"onednn", *onednn});
  return tables;
}

const bool kRegistered = [] {
  for (const Isa isa : AvailableIsas()) {
    if (isa == Isa::kReference) continue;
    for (const Table& table : Tables(isa)) {
      for (const Shape& shape : kShapes) {
        if (table.bytes && shape.format != Format::kFp4) continue;
        const std::string full = std::string(IsaName(isa)) + "/" + table.name + "/" + shape.name;
        auto* b = benchmark::RegisterBenchmark(
            full.c_str(), [=](benchmark::State& state) { Measure(state, table, isa, shape); });
        for (const int tokens : {1, 2, 4, 8, 32, 48, 512}) b->Arg(tokens);
        Configure(b);
      }
    }
  }
  return true;
}();

}  // namespace
}  // namespace cedar::perf
