// The reference kernels against the oracle, bit for bit (make_reference_vectors.py).

#include <gtest/gtest.h>

#include <bit>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "simd/kernels.h"
#include "tests/paths.h"

namespace cedar::simd {
namespace {

class Vectors {
 public:
  Vectors() {
    std::ifstream file(TestDataPath("reference_vectors.txt"));
    for (std::string line, word; std::getline(file, line);) {
      std::istringstream words(line);
      words >> word;
      std::vector<uint32_t>& values = values_[word];
      while (words >> word) values.push_back(static_cast<uint32_t>(std::stoul(word, nullptr, 16)));
    }
  }

  std::vector<uint8_t> Bytes(const std::string& name) const {
    const std::vector<uint32_t>& values = values_.at(name);
    return {values.begin(), values.end()};
  }
  std::vector<float> Floats(const std::string& name) const {
    std::vector<float> out;
    for (uint32_t v : values_.at(name)) out.push_back(std::bit_cast<float>(v));
    return out;
  }
  std::vector<Bf16> Bf16s(const std::string& name) const {
    std::vector<Bf16> out;
    for (uint32_t v : values_.at(name)) out.push_back(Bf16{static_cast<uint16_t>(v >> 16)});
    return out;
  }

 private:
  std::map<std::string, std::vector<uint32_t>> values_;
};

std::vector<uint32_t> Bits(const std::vector<Bf16>& x) {
  std::vector<uint32_t> bits;
  for (Bf16 v : x) bits.push_back(v.bits);
  return bits;
}
std::vector<uint32_t> Bits(const std::vector<float>& x) {
  std::vector<uint32_t> bits;
  for (float v : x) bits.push_back(std::bit_cast<uint32_t>(v));
  return bits;
}

class ReferenceTest : public ::testing::Test {
 protected:
  void ExpectBf16(const std::string& name, const std::vector<Bf16>& found) const {
    EXPECT_EQ(Bits(found), Bits(vectors_.Bf16s(name))) << name;
  }
  void ExpectFloats(const std::string& name, const std::vector<float>& found) const {
    EXPECT_EQ(Bits(found), Bits(vectors_.Floats(name))) << name;
  }

  // As values: the product by which the vector was made turns -0 into 0.
  void ExpectEqual(const std::string& name, const std::vector<Bf16>& found) const {
    const std::vector<float> expected = vectors_.Floats(name);
    ASSERT_EQ(found.size(), expected.size());
    for (size_t i = 0; i < found.size(); ++i) EXPECT_EQ(ToFloat(found[i]), expected[i]) << name;
  }

  // Rows of x packed one after the other by a store kernel.
  static std::vector<uint8_t> Stored(void (*store)(const Bf16*, size_t, uint8_t*),
                                     const std::vector<Bf16>& x, size_t n, size_t bytes) {
    std::vector<uint8_t> out(x.size() / n * bytes);
    for (size_t i = 0; i < x.size() / n; ++i) store(x.data() + i * n, n, out.data() + i * bytes);
    return out;
  }

  std::vector<Bf16> Multiply(const WeightMatrix& w, Activation activation) const {
    const std::vector<Bf16> x = vectors_.Bf16s("matmul.x");
    const size_t n = x.size() / w.cols, bytes = kernels_.prompt.packed_bytes(w.format, w.cols);
    std::vector<uint8_t> packed(n * bytes),
        scratch(kernels_.prompt.scratch_bytes(w.format, w.cols));
    std::vector<const uint8_t*> rows;
    for (size_t i = 0; i < n; ++i) {
      rows.push_back(packed.data() + i * bytes);
      kernels_.prompt.pack(w.format, activation, x.data() + i * w.cols, w.cols, {0, w.cols},
                           &packed[i * bytes]);
    }
    std::vector<Bf16> y(n * w.rows);
    const MatMulOutput out = {.bf16 = y.data(), .stride = w.rows};
    kernels_.prompt.multiply(w, {0, w.rows}, rows, out, scratch.data());
    return y;
  }

  const Vectors vectors_;
  const Kernels& kernels_ = KernelsFor(Isa::kReference);
};

TEST_F(ReferenceTest, StoresRowsOfAllThreeKinds) {
  const std::vector<Bf16> x = vectors_.Bf16s("store.x");
  const size_t n = x.size();
  EXPECT_EQ(Stored(kernels_.store_window_row, x, n, WindowRowBytes(n)),
            vectors_.Bytes("store.window"));
  EXPECT_EQ(Stored(kernels_.store_compressed_row, x, n, CompressedRowBytes(n)),
            vectors_.Bytes("store.compressed"));
  EXPECT_EQ(Stored(kernels_.store_index_key, x, n, IndexKeyBytes(n)),
            vectors_.Bytes("store.index_key"));
}

TEST_F(ReferenceTest, MultipliesMatricesOfEachFormat) {
  const std::vector<uint8_t> fp8 = vectors_.Bytes("matmul.fp8"), fp4 = vectors_.Bytes("matmul.fp4");
  const std::vector<Bf16> bf16 = vectors_.Bf16s("matmul.bf16");
  const uint8_t* plain = reinterpret_cast<const uint8_t*>(bf16.data());
  const WeightMatrix a = {Format::kFp8, 40, 64, fp8.data(), fp8.data() + 40 * 64};
  const WeightMatrix b = {Format::kFp4, 5, 64, fp4.data(), fp4.data() + 5 * 32};
  const WeightMatrix c = {Format::kBf16, 5, 64, plain, nullptr};
  ExpectBf16("matmul.fp8.y", Multiply(a, Activation::kFp8));
  ExpectBf16("matmul.fp4.y", Multiply(b, Activation::kFp8));
  ExpectBf16("matmul.bf16.y", Multiply(c, Activation::kBf16));
}

TEST_F(ReferenceTest, MixesStreams) {
  constexpr size_t kHc = 3, kHidden = 32, kRows = kHc * (2 + kHc);
  const std::vector<float> fn = vectors_.Floats("mix.fn"), base = vectors_.Floats("mix.base"),
                           scale = vectors_.Floats("mix.scale");
  const uint8_t* fn_bytes = reinterpret_cast<const uint8_t*>(fn.data());
  const WeightMatrix matrix = {Format::kF32, kRows, kHc * kHidden, fn_bytes, nullptr};
  const MixParameters p = {kHc, kHidden, base.data(), scale.data(), 1e-20, 1e-6, 5};
  std::vector<Bf16> h = vectors_.Bf16s("mix.h"), y = vectors_.Bf16s("mix.y"), out(kHidden);
  std::vector<double> dots(kRows);
  std::vector<float> pre(kHc), post(kHc), comb(kHc * kHc);
  const std::vector<const Bf16*> streams = {h.data()};
  kernels_.mix_dots(matrix, {0, kRows}, streams, dots.data());
  kernels_.mix_finish(p, dots.data(), h.data(), pre.data(), post.data(), comb.data());
  ExpectFloats("mix.pre", pre);
  ExpectFloats("mix.post", post);
  ExpectFloats("mix.comb", comb);
  kernels_.collapse(h.data(), pre.data(), kHc, kHidden, out.data());
  ExpectBf16("mix.collapse", out);
  kernels_.expand(y.data(), post.data(), comb.data(), kHc, kHidden, h.data());
  ExpectBf16("mix.expand", h);
}

TEST_F(ReferenceTest, NormalisesARow) {
  const std::vector<float> weight = vectors_.Floats("norm.weight");
  std::vector<Bf16> x = vectors_.Bf16s("norm.x");
  kernels_.rms_norm(x.data(), weight.data(), x.size(), 1e-6, x.data());
  ExpectBf16("norm.out", x);
}

TEST_F(ReferenceTest, RotatesForwardsAndBackwards) {
  const std::vector<float> cos = vectors_.Floats("rope.cos"), sin = vectors_.Floats("rope.sin");
  for (const bool inverse : {false, true}) {
    std::vector<Bf16> x = vectors_.Bf16s("rope.x");
    kernels_.rope(x.data(), 3, 32, 16, cos.data(), sin.data(), inverse);
    ExpectBf16(inverse ? "rope.inverse" : "rope.forward", x);
  }
}

TEST_F(ReferenceTest, PoolsAGroup) {
  constexpr size_t kN = 32;
  const std::vector<float> x = vectors_.Floats("pool.x");  // [3][kv, gate]
  const float* kv[] = {&x[0], &x[2 * kN], &x[4 * kN]};
  const float* gate[] = {&x[kN], &x[3 * kN], &x[5 * kN]};
  std::vector<Bf16> out(kN);
  kernels_.pool(kv, gate, 3, kN, out.data());
  ExpectBf16("pool.out", out);
}

TEST_F(ReferenceTest, Attends) {
  constexpr size_t kHeads = 3, kDim = 64, kWindow = 5, kSelected = 4;
  const std::vector<Bf16> q = vectors_.Bf16s("attend.q");
  const std::vector<float> sink = vectors_.Floats("attend.sink");
  const std::vector<uint8_t> window = Stored(
      kernels_.store_window_row, vectors_.Bf16s("attend.window"), kDim, WindowRowBytes(kDim));
  const std::vector<uint8_t> latent =
      Stored(kernels_.store_compressed_row, vectors_.Bf16s("attend.latent"), kDim,
             CompressedRowBytes(kDim));
  std::vector<const uint8_t*> window_rows, selected;
  for (size_t i = 0; i < kWindow; ++i) window_rows.push_back(&window[i * WindowRowBytes(kDim)]);
  for (size_t i = 0; i < kSelected; ++i) selected.push_back(&latent[i * CompressedRowBytes(kDim)]);
  std::vector<uint8_t> scratch(kernels_.attend_scratch_bytes(kWindow + kSelected, kHeads, kDim));
  std::vector<Bf16> out(kHeads * kDim);
  const AttendInput in = {q.data(), kHeads, kDim, window_rows, selected, sink.data()};
  kernels_.attend(in, {0, 1}, scratch.data(), out.data());
  kernels_.attend(in, {1, kHeads}, scratch.data(), out.data());
  ExpectBf16("attend.out", out);
}

TEST_F(ReferenceTest, ScoresIndexKeys) {
  constexpr size_t kHeads = 4, kDim = 64, kRows = 9;
  const std::vector<float> w = vectors_.Floats("index.w");
  const std::vector<uint8_t> q =
      Stored(kernels_.store_index_key, vectors_.Bf16s("index.q"), kDim, IndexKeyBytes(kDim));
  const std::vector<uint8_t> keys =
      Stored(kernels_.store_index_key, vectors_.Bf16s("index.keys"), kDim, IndexKeyBytes(kDim));
  std::vector<const uint8_t*> rows;
  for (size_t r = 0; r < kRows; ++r) rows.push_back(&keys[r * IndexKeyBytes(kDim)]);
  std::vector<float> scores(kRows);
  kernels_.index_scores(q.data(), w.data(), kHeads, kDim, rows, scores.data());
  ExpectFloats("index.scores", scores);
}

TEST_F(ReferenceTest, RoutesBestFirstAndTiesToTheLowerExpert) {
  const std::vector<float> logits = vectors_.Floats("route.logits"),
                           bias = vectors_.Floats("route.bias");
  const RouteParameters p = {logits.size(), 4, true, 2.3, bias.data()};
  std::vector<int32_t> ids(4);
  std::vector<float> weights(4);
  kernels_.route(p, logits.data(), ids.data(), weights.data());
  EXPECT_EQ(std::vector<uint8_t>(ids.begin(), ids.end()), vectors_.Bytes("route.ids"));
  ExpectFloats("route.weights", weights);
}

TEST_F(ReferenceTest, GatesAnExpert) {
  const std::vector<Bf16> x = vectors_.Bf16s("swiglu.x");  // gate, up
  const float weight = vectors_.Floats("swiglu.weight")[0];
  const size_t n = x.size() / 2;
  std::vector<Bf16> out(n);
  kernels_.swiglu(x.data(), x.data() + n, n, 1.25f, &weight, out.data());
  ExpectEqual("swiglu.routed", out);
  kernels_.swiglu(x.data(), x.data() + n, n, 1.25f, nullptr, out.data());
  ExpectEqual("swiglu.shared", out);
}

TEST_F(ReferenceTest, ReadsAndGatesAnEngram) {
  constexpr size_t kHc = 2, kHidden = 64;
  const std::vector<uint8_t> codes = vectors_.Bytes("engram.codes"),
                             scales = vectors_.Bytes("engram.scales");
  std::vector<Bf16> kv(codes.size());
  kernels_.decode_engram_row(codes.data(), scales.data(), codes.size(), kv.data());
  ExpectBf16("engram.kv", kv);
  const std::vector<float> q = vectors_.Floats("engram.q_weight"),
                           k = vectors_.Floats("engram.k_weight");
  std::vector<double> qk;
  for (size_t i = 0; i < q.size(); ++i) qk.push_back(static_cast<double>(q[i]) * k[i]);
  std::vector<Bf16> streams = vectors_.Bf16s("engram.h");
  kernels_.engram_gate(kv.data(), qk.data(), kHc, kHidden, 1e-20, streams.data());
  ExpectBf16("engram.out", streams);
}

TEST_F(ReferenceTest, SumsRowsInFullPrecision) {
  // 1 + 2^-8 is a tie and goes to 1, unless something tiny comes on top.
  const Bf16 one = RoundToBf16(1), step = RoundToBf16(0x1p-8f), tiny = RoundToBf16(0x1p-20f);
  const Bf16* parts[] = {&one, &step, &tiny};
  Bf16 out;
  kernels_.sum_rows(parts, 3, 1, &out);
  EXPECT_EQ(ToFloat(out), 1 + 0x1p-7f);
  kernels_.sum_rows(parts, 2, 1, &out);
  EXPECT_EQ(ToFloat(out), 1);
}

}  // namespace
}  // namespace cedar::simd
