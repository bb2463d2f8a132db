#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "tests/simd/hard_rows.h"
#include "tests/simd/isa_cases.h"

namespace cedar::simd {
namespace {

using EngramRowsTest = IsaCase;

// ---- decode_engram_row
// ---------------------------------------------------------------------------

Row Decoded(const Kernels& k, const std::vector<uint8_t>& codes, const std::vector<uint8_t>& scales,
            size_t offset = 0) {
  std::vector<uint8_t> moved(offset);
  moved.insert(moved.end(), codes.begin(), codes.end());
  Row out(codes.size());
  k.decode_engram_row(moved.data() + offset, scales.data(), codes.size(), out.data());
  return out;
}

TEST_P(EngramRowsTest, EveryCodeAtEveryScale) {
  std::vector<uint8_t> codes;
  for (int code = 0; code < 256; ++code) codes.push_back(static_cast<uint8_t>(code));
  for (int scale = 0; scale < 256; ++scale) {
    const std::vector<uint8_t> scales(codes.size() / kScaleBlock, static_cast<uint8_t>(scale));
    const Row got = Decoded(Fast(), codes, scales), expected = Decoded(Truth(), codes, scales);
    for (size_t i = 0; i < got.size(); ++i) {
      if (std::isnan(ToFloat(expected[i]))) {
        EXPECT_TRUE(std::isnan(ToFloat(got[i]))) << "code " << i << " at scale " << scale;
      } else {
        EXPECT_EQ(got[i].bits, expected[i].bits) << "code " << i << " at scale " << scale;
      }
    }
  }
}

TEST_P(EngramRowsTest, EveryBlockHasItsScale) {
  for (size_t blocks : {1, 2, 3, 8}) {
    std::vector<uint8_t> codes, scales;
    for (size_t i = 0; i < blocks * kScaleBlock; ++i)
      codes.push_back(static_cast<uint8_t>(i % 120));
    for (size_t i = 0; i < blocks; ++i) scales.push_back(static_cast<uint8_t>(120 + i));
    for (size_t offset : {0, 1, 3}) {
      EXPECT_EQ(Bits(Decoded(Fast(), codes, scales, offset)),
                Bits(Decoded(Truth(), codes, scales)));
    }
  }
}

// ---- engram_gate
// ---------------------------------------------------------------------------------

struct Case {
  size_t hc, hidden;
  Row kv, streams;
  std::vector<double> qk_weight;
};

Case NormalCase(size_t hc, size_t hidden, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  Case c{hc, hidden, NormalRow(random, (hc + 1) * hidden), NormalRow(random, hc * hidden), {}};
  for (size_t i = 0; i < hc * hidden; ++i) c.qk_weight.push_back(normal(random));
  return c;
}

// Computed in double as in the reference but for the order of three sums, which moves the gate by
// less than 2^-35 even if the dot product's terms cancel to a hundredth: equal bits, unless a
// result lies that close to a rounding boundary, which none of these fixed inputs does.
std::vector<uint16_t> Gated(const Kernels& k, const Case& c) {
  Row streams = c.streams;
  k.engram_gate(c.kv.data(), c.qk_weight.data(), c.hc, c.hidden, 1e-20, streams.data());
  return Bits(streams);
}

TEST_P(EngramRowsTest, GateEqualsTheReferenceAtAnySize) {
  for (size_t hc : {1, 2, 3, 4}) {
    for (size_t hidden : {1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 33, 64, 257, 1024, 5120}) {
      const Case c = NormalCase(hc, hidden, static_cast<unsigned>(hidden));
      EXPECT_EQ(Gated(Fast(), c), Gated(Truth(), c)) << hc << " streams of " << hidden;
    }
  }
}

TEST_P(EngramRowsTest, GateOfHardRows) {
  std::mt19937 random(30);
  const size_t hc = 4, hidden = 333;
  for (const Row& keys : {ConstantRow((hc + 1) * hidden, 0), ConstantRow((hc + 1) * hidden, -2),
                          WideRow(random, (hc + 1) * hidden, -133, 126)}) {
    Case c = NormalCase(hc, hidden, 31);
    c.kv = keys;
    EXPECT_EQ(Gated(Fast(), c), Gated(Truth(), c));
    c.streams = ConstantRow(hc * hidden, -0.0f);
    EXPECT_EQ(Gated(Fast(), c), Gated(Truth(), c));
    c.streams = WideRow(random, hc * hidden, -133, 126);
    EXPECT_EQ(Gated(Fast(), c), Gated(Truth(), c));
  }
}

TEST_P(EngramRowsTest, AZeroDotProductOpensTheGateByItsFloor) {
  Case c = NormalCase(1, 64, 32);
  std::fill(c.kv.begin(), c.kv.begin() + 64, Bf16{0});
  c.streams = ConstantRow(64, 0);
  const double gate = 1 / (1 + std::exp(-1e-3));
  Row expected;
  for (size_t i = 0; i < 64; ++i) {
    expected.push_back(RoundToBf16(static_cast<float>(gate * ToFloat(c.kv[64 + i]))));
  }
  EXPECT_EQ(Gated(Fast(), c), Bits(expected));
}

CEDAR_FOR_EACH_ISA(EngramRowsTest);

}  // namespace
}  // namespace cedar::simd
