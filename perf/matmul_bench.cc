// Matrix products at the released widths, one thread, weights streaming from memory: for each ISA
// of this CPU, table (generated, prompt, integer), format and number of activation rows.
//
//   matmul_bench --benchmark_filter=avx3_zen4/generated
//
// Every repetition takes the probes of simd/probes.h right beside the products: `read` is the share
// of the weight bytes' speed in that of plain reads of the same pages, `peak` the share of the
// operations' speed in the larger of the peaks of bf16 dots and fp32 FMA, for the table of integer
// products in that of byte dots.

#include <benchmark/benchmark.h>

#include <ctime>
#include <random>
#include <string>
#include <vector>

#include "simd/isa.h"
#include "simd/kernels.h"
#include "simd/matmul_onednn.h"
#include "simd/memory.h"
#include "simd/probes.h"

namespace cedar::simd {
namespace {

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

double ThreadSeconds() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}

template <class Body>
double Seconds(const Body& body) {
  const double start = ThreadSeconds();
  body();
  return ThreadSeconds() - start;
}

size_t DataBytes(const Shape& s) {
  constexpr size_t kBits[] = {32, 16, 8, 4};
  return s.rows * s.cols * kBits[static_cast<size_t>(s.format)] / 8;
}
size_t ScaleBytes(const Shape& s) {
  if (s.format == Format::kFp4) return s.rows * s.cols / 32;
  return s.format == Format::kFp8 ? (s.rows + 31) / 32 * (s.cols / 32) : 0;
}

// As many matrices of one shape as fill kStreamed, one after the other.
class Weights {
 public:
  explicit Weights(const Shape& s)
      : shape_(s),
        bytes_(DataBytes(s) + ScaleBytes(s)),
        count_(kStreamed / bytes_),
        memory_(count_ * bytes_, "weights to measure with") {
    std::mt19937_64 random(1);
    const bool small_codes = s.format == Format::kFp8 || s.format == Format::kFp4;
    for (size_t i = 0; i + 8 <= memory_.bytes(); i += 8) {
      // Keeps floats and E4M3 codes of middling size, and scale codes around 1 below.
      uint64_t bits = random() & 0xBFBFBFBFBFBFBFBF;
      if (!small_codes) bits = (bits & 0x807F807F807F807F) | 0x3F003F003F003F00;
      std::memcpy(memory_.data() + i, &bits, sizeof(bits));
    }
    for (size_t i = 0; i < count_; ++i) {
      uint8_t* scales = memory_.data() + i * bytes_ + DataBytes(s);
      for (size_t j = 0; j < ScaleBytes(s); ++j) scales[j] = 115 + scales[j] % 8;
    }
  }

  size_t count() const { return count_; }
  size_t bytes() const { return count_ * bytes_; }
  const uint8_t* data() const { return memory_.data(); }
  WeightMatrix matrix(size_t i) const {
    const uint8_t* data = memory_.data() + i * bytes_;
    const uint8_t* scales = ScaleBytes(shape_) == 0 ? nullptr : data + DataBytes(shape_);
    return {shape_.format, shape_.rows, shape_.cols, data, scales};
  }

 private:
  Shape shape_;
  size_t bytes_, count_;
  Memory memory_;
};

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
      matmul.pack(s.format, activation, x.data(), s.cols, row);
      rows_.push_back(row);
    }
  }
  std::span<const uint8_t* const> rows() const { return rows_; }

 private:
  size_t stride_;
  Memory memory_;
  std::vector<const uint8_t*> rows_;
};

// Operations a second that the ISA reaches at most, by floating point or on bytes.
double Peak(const Probes& probes, bool bytes) {
  constexpr size_t kRounds = 1 << 20;
  double peak = 0;
  auto try_probe = [&](float (*probe)(size_t), double flops) {
    if (probe == nullptr) return;
    const double seconds = Seconds([&] { benchmark::DoNotOptimize(probe(kRounds)); });
    peak = std::max(peak, flops * kRounds / seconds);
  };
  if (bytes) {
    try_probe(probes.int8_dots, probes.int8_dot_ops);
  } else {
    try_probe(probes.bf16_dots, probes.bf16_dot_flops);
    try_probe(probes.fp32_fmas, probes.fp32_fma_flops);
  }
  return peak;
}

struct Table {
  std::string name;
  MatMul matmul;
  bool bytes = false;
};

void Product(benchmark::State& state, const Table& table, Isa isa, const Shape& shape) {
  const MatMul& matmul = table.matmul;
  const size_t tokens = state.range(0);
  const Weights weights(shape);
  const Activations x(matmul, shape, table.bytes ? Activation::kInt8 : shape.activation, tokens);
  const Memory scratch(matmul.scratch_bytes(shape.format, shape.cols) + 64, "scratch");
  const Memory y(tokens * shape.rows * sizeof(float), "products");
  const MatMulOutput out = {.f32 = reinterpret_cast<float*>(y.data()), .stride = shape.rows};
  const Probes probes = ProbesFor(isa);
  // Few rows: all matrices, from memory. Many: arithmetic counts, and one takes long enough.
  const size_t count = tokens < 16 ? weights.count() : 1;
  double seconds = 0, read_seconds = 0, peak = 0;
  for (auto _ : state) {
    const double once = Seconds([&] {
      for (size_t i = 0; i < count; ++i) {
        matmul.multiply(weights.matrix(i), {0, shape.rows}, x.rows(), out, scratch.data());
      }
    });
    state.SetIterationTime(once);
    seconds += once;
    read_seconds +=
        Seconds([&] { benchmark::DoNotOptimize(probes.read(weights.data(), weights.bytes())); });
    peak += Peak(probes, table.bytes);
  }
  const double n = state.iterations();
  const double speed = n * count * (weights.bytes() / weights.count()) / seconds;
  const double flops = n * count * 2.0 * tokens * shape.rows * shape.cols / seconds;
  state.counters["GB/s"] = speed * 1e-9;
  state.counters["read"] = speed / (n * weights.bytes() / read_seconds);
  state.counters["GFLOP/s"] = flops * 1e-9;
  state.counters["peak"] = flops / (peak / n);
}

// The tables worth measuring, by name; onednn also where nothing chooses it.
std::vector<Table> Tables(Isa isa) {
  std::vector<Table> tables = {{"generated", KernelsFor(isa).generated},
                               {"prompt", KernelsFor(isa).prompt},
                               {"integer", KernelsFor(isa).integer, /*bytes=*/true}};
  if (const auto onednn = OneDnnMatMul(isa)) tables.push_back({"onednn", *onednn});
  return tables;
}

const bool kRegistered = [] {
  for (Isa isa : AvailableIsas()) {
    if (isa == Isa::kReference) continue;
    for (const Table& table : Tables(isa)) {
      for (const Shape& shape : kShapes) {
        if (table.bytes && shape.format != Format::kFp4) continue;
        const std::string full = std::string(IsaName(isa)) + "/" + table.name + "/" + shape.name;
        auto* b = benchmark::RegisterBenchmark(
            full.c_str(), [=](benchmark::State& state) { Product(state, table, isa, shape); });
        for (int tokens : {1, 2, 4, 8, 32, 48, 512}) b->Arg(tokens);
        b->UseManualTime()->Unit(benchmark::kMillisecond);
      }
    }
  }
  return true;
}();

}  // namespace
}  // namespace cedar::simd
