#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "tests/simd/hard_rows.h"
#include "tests/simd/isa_cases.h"
#include "tests/simd/rounded_rows.h"

namespace cedar::simd {
namespace {

using StreamsTest = IsaCase;

constexpr size_t kSizes[] = {1, 2, 3, 5, 7, 8, 9, 15, 16, 17, 31, 33, 64, 100, 257};

// Everything that a sublayer computes with: `hidden` channels of `hc` streams, and its mixes.
struct Case {
  size_t hc, hidden;
  Row streams;  // [hc][hidden]
  Row y;        // [hidden]
  std::vector<float> pre, post, comb;
};

Case NormalCase(size_t hc, size_t hidden, unsigned seed) {
  std::mt19937 random(seed);
  return {hc,
          hidden,
          NormalRow(random, hc * hidden),
          NormalRow(random, hidden),
          NormalFloats(random, hc),
          NormalFloats(random, hc),
          NormalFloats(random, hc * hc)};
}

Case Part(const Case& c, size_t begin, size_t n) {
  return {c.hc,
          n,
          Columns(c.streams, c.hidden, begin, n),
          Columns(c.y, c.hidden, begin, n),
          c.pre,
          c.post,
          c.comb};
}

Row Collapsed(const Kernels& k, const Case& c) {
  Row out(c.hidden);
  k.collapse(c.streams.data(), c.pre.data(), c.hc, c.hidden, out.data());
  return out;
}

Row Expanded(const Kernels& k, const Case& c) {
  Row streams = c.streams;
  k.expand(c.y.data(), c.post.data(), c.comb.data(), c.hc, c.hidden, streams.data());
  return streams;
}

// A sum of k products by fused multiply-adds makes k roundings, each of at most 2^-24 of a partial
// sum, which is at most the sum of the terms' magnitudes.
double SumBound(size_t k, double magnitudes) {
  return static_cast<double>(k) * kFloatRounding * magnitudes;
}

std::vector<double> CollapseBounds(const Case& c) {
  std::vector<double> bounds;
  for (size_t ch = 0; ch < c.hidden; ++ch) {
    double magnitudes = 0;
    for (size_t i = 0; i < c.hc; ++i) {
      magnitudes += std::fabs(c.pre[i] * ToFloat(c.streams[i * c.hidden + ch]));
    }
    bounds.push_back(SumBound(c.hc, magnitudes));
  }
  return bounds;
}

std::vector<double> ExpandBounds(const Case& c) {
  std::vector<double> bounds;
  for (size_t j = 0; j < c.hc; ++j) {
    for (size_t ch = 0; ch < c.hidden; ++ch) {
      double magnitudes = std::fabs(c.post[j] * ToFloat(c.y[ch]));
      for (size_t i = 0; i < c.hc; ++i) {
        magnitudes += std::fabs(c.comb[i * c.hc + j] * ToFloat(c.streams[i * c.hidden + ch]));
      }
      bounds.push_back(SumBound(c.hc + 1, magnitudes));
    }
  }
  return bounds;
}

// Normal rows: two bf16 roundings part if a midpoint, one in a bf16 step, lies within the bound,
// which is below (hc + 1) * 2^-24 / 2^-8 = 2^-12 of a step for hc <= 15 but where terms cancel.
constexpr double kRare = 1.0 / 200;

TEST_P(StreamsTest, CollapseAndExpandStayNearTheReference) {
  for (size_t hc : {1, 2, 3, 4, 7, 16}) {
    const Case c = NormalCase(hc, 1000, static_cast<unsigned>(hc));
    ExpectRounded(Collapsed(Fast(), c), Collapsed(Truth(), c), CollapseBounds(c), kRare);
    ExpectRounded(Expanded(Fast(), c), Expanded(Truth(), c), ExpandBounds(c), kRare);
  }
}

TEST_P(StreamsTest, CollapseAndExpandHardRows) {
  std::mt19937 random(20);
  const size_t hc = 4, n = 400;
  // Below 2^123, so that no partial sum of 5 terms with factors below 4 overflows.
  for (const Row& streams :
       {WideRow(random, hc * n, -133, 122), WideRow(random, hc * n, -133, -126),
        ConstantRow(hc * n, -0.0f), ConstantRow(hc * n, 0x1p122f)}) {
    Case c = NormalCase(hc, n, 21);
    c.streams = streams;
    c.y = WideRow(random, n, -133, 122);
    ExpectRounded(Collapsed(Fast(), c), Collapsed(Truth(), c), CollapseBounds(c), kRare);
    ExpectRounded(Expanded(Fast(), c), Expanded(Truth(), c), ExpandBounds(c), kRare);
  }
}

TEST_P(StreamsTest, CancellingStreamsLeaveTheRoundingOfTheirTerms) {
  Case c = NormalCase(2, 500, 22);
  c.pre = {0.3f, -0.3f};
  for (size_t ch = 0; ch < c.hidden; ++ch) {  // neighbouring bf16 values
    c.streams[c.hidden + ch].bits = static_cast<uint16_t>(c.streams[ch].bits + ch % 2);
  }
  ExpectRounded(Collapsed(Fast(), c), Collapsed(Truth(), c), CollapseBounds(c), 1);
}

TEST_P(StreamsTest, AChannelDoesNotDependOnItsPlace) {
  const Case whole = NormalCase(4, 300, 23);
  const auto collapsed = Bits(Collapsed(Fast(), whole));
  const auto expanded = Bits(Expanded(Fast(), whole));
  for (size_t n : kSizes) {
    for (size_t begin : {0, 1, 3, 40}) {
      const Case part = Part(whole, begin, n);
      EXPECT_EQ(Bits(Collapsed(Fast(), part)), Columns(collapsed, 300, begin, n)) << n;
      EXPECT_EQ(Bits(Expanded(Fast(), part)), Columns(expanded, 300, begin, n)) << n;
    }
  }
}

// ---- mix_finish
// ----------------------------------------------------------------------------------

// Computed in double but for the order of one sum of squares, which moves the results by less than
// 2^-40; so the same fp32 values, unless one lies that close to a rounding boundary.
std::vector<float> Mixes(const Kernels& k, const MixParameters& p, const std::vector<double>& dots,
                         const Row& streams) {
  std::vector<float> out((2 + p.hc) * p.hc);
  k.mix_finish(p, dots.data(), streams.data(), out.data(), out.data() + p.hc,
               out.data() + 2 * p.hc);
  return out;
}

TEST_P(StreamsTest, MixesEqualTheReference) {
  std::mt19937 random(24);
  for (size_t hc : {1, 2, 3, 4, 16}) {
    for (size_t hidden : {1, 7, 64, 257, 5120}) {
      const size_t mixes = (2 + hc) * hc;
      const auto base = NormalFloats(random, mixes), scale = NormalFloats(random, 3);
      std::normal_distribution<double> normal(0, std::sqrt(static_cast<double>(hc * hidden)));
      std::vector<double> dots(mixes);
      for (double& dot : dots) dot = normal(random);
      dots[0] = 1e4 * std::sqrt(static_cast<double>(hidden));
      const MixParameters p{.hc = hc,
                            .hidden = hidden,
                            .base = base.data(),
                            .scale = scale.data(),
                            .norm_eps = 1e-20,
                            .hc_eps = 1e-6,
                            .sinkhorn_iters = hidden == 7 ? 1 : 20};
      for (const Row& streams : {NormalRow(random, hc * hidden), ConstantRow(hc * hidden, 0),
                                 WideRow(random, hc * hidden, -20, 20)}) {
        EXPECT_EQ(Mixes(Fast(), p, dots, streams), Mixes(Truth(), p, dots, streams))
            << hc << " streams of " << hidden;
      }
    }
  }
}

CEDAR_FOR_EACH_ISA(StreamsTest);

}  // namespace
}  // namespace cedar::simd
