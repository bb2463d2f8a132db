#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <random>
#include <vector>

#include "tests/simd/hard_rows.h"
#include "tests/simd/isa_cases.h"
#include "tests/simd/rounded_rows.h"

namespace cedar::simd {
namespace {

using MoeRowsTest = IsaCase;

constexpr size_t kSizes[] = {1, 2, 3, 5, 7, 8, 9, 15, 16, 17, 31, 33, 64, 100, 257};
constexpr double kRare = 1.0 / 200;  // of bf16 results may round otherwise, as in streams_test

// ---- route
// ---------------------------------------------------------------------------------------

// Scores are made in double and rounded once to fp32, so they are the reference's unless one lies
// within 2^-50 of a rounding boundary; then experts and weights are equal too.
struct Routed {
  std::vector<int32_t> ids;
  std::vector<float> weights;
  bool operator==(const Routed&) const = default;
};

Routed Route(const Kernels& k, const std::vector<float>& logits, const std::vector<float>& bias,
             size_t count, bool normalise = true) {
  const RouteParameters p{.experts = logits.size(),
                          .count = count,
                          .normalise = normalise,
                          .scaling = 1.5f,
                          .bias = bias.data()};
  Routed routed{std::vector<int32_t>(count), std::vector<float>(count)};
  k.route(p, logits.data(), routed.ids.data(), routed.weights.data());
  return routed;
}

TEST_P(MoeRowsTest, RouteEqualsTheReference) {
  std::mt19937 random(1);
  for (size_t experts : {1, 2, 6, 7, 16, 63, 64, 65, 100, 384, 385}) {
    for (size_t count : {1, 2, 6, 17}) {
      if (count > experts) continue;
      for (float spread : {0.01f, 1.0f, 30.0f, 1e4f}) {
        const auto logits = NormalFloats(random, experts, spread);
        const auto bias = NormalFloats(random, experts, 0.1f);
        for (bool normalise : {false, true}) {
          EXPECT_EQ(Route(Fast(), logits, bias, count, normalise),
                    Route(Truth(), logits, bias, count, normalise))
              << count << " of " << experts << ", spread " << spread;
        }
      }
    }
  }
}

TEST_P(MoeRowsTest, RouteOfAllExpertsSortsThem) {
  std::mt19937 random(2);
  const auto logits = NormalFloats(random, 70), bias = NormalFloats(random, 70);
  const Routed routed = Route(Fast(), logits, bias, 70);
  EXPECT_EQ(routed, Route(Truth(), logits, bias, 70));
  std::vector<int32_t> sorted = routed.ids;
  std::sort(sorted.begin(), sorted.end());
  for (int32_t i = 0; i < 70; ++i) EXPECT_EQ(sorted[static_cast<size_t>(i)], i);
}

TEST_P(MoeRowsTest, RouteTiesGoToTheLowerExpert) {
  std::vector<float> logits(130, 0.25f), bias(130, -0.5f);
  logits[70] = logits[129] = 2;
  EXPECT_EQ(Route(Fast(), logits, bias, 5).ids, (std::vector<int32_t>{70, 129, 0, 1, 2}));
}

TEST_P(MoeRowsTest, RouteHardLogits) {
  const std::vector<float> logits = {1e30f, -1e30f, 0.0f, -0.0f, 700, -700, 90, -90, 0x1p-140f};
  const std::vector<float> bias(logits.size(), 0.0f);
  EXPECT_EQ(Route(Fast(), logits, bias, 9), Route(Truth(), logits, bias, 9));
  EXPECT_EQ(Route(Fast(), logits, bias, 9, false), Route(Truth(), logits, bias, 9, false));
}

// ---- swiglu
// --------------------------------------------------------------------------------------

struct SwigluCase {
  Row gate, up;
  float limit;
  std::optional<float> weight;
};

Row Swiglu(const Kernels& k, const SwigluCase& c) {
  Row out(c.gate.size());
  k.swiglu(c.gate.data(), c.up.data(), c.gate.size(), c.limit, c.weight ? &*c.weight : nullptr,
           out.data());
  return out;
}

// fp32: the exponential (1 ulp, which is up to 2 roundings), 1 + e, the quotient, three products;
// the reference makes two roundings. An exponential below 2^-126 is subnormal and off by up to
// 2^-149, which its two factors and the weight magnify.
std::vector<double> SwigluBounds(const SwigluCase& c) {
  std::vector<double> bounds;
  for (size_t i = 0; i < c.gate.size(); ++i) {
    double g = ToFloat(c.gate[i]), u = ToFloat(c.up[i]);
    if (c.limit > 0) g = std::min<double>(g, c.limit), u = std::clamp<double>(u, -c.limit, c.limit);
    const double factors = std::fabs(g * u * c.weight.value_or(1));
    bounds.push_back(9 * kFloatRounding * factors / (1 + std::exp(-g)) + 0x1p-149 * factors);
  }
  return bounds;
}

void ExpectSwiglu(const Kernels& fast, const Kernels& truth, const SwigluCase& c,
                  double unequal_share = kRare) {
  ExpectRounded(Swiglu(fast, c), Swiglu(truth, c), SwigluBounds(c), unequal_share);
}

TEST_P(MoeRowsTest, SwigluStaysNearTheReference) {
  std::mt19937 random(3);
  for (float limit : {0.0f, 0.5f, 10.0f}) {
    for (float spread : {0.1f, 3.0f, 40.0f}) {
      for (std::optional<float> weight : {std::optional<float>(), std::optional<float>(0.37f)}) {
        const Row gate = NormalRow(random, 2000, spread), up = NormalRow(random, 2000, spread);
        ExpectSwiglu(Fast(), Truth(), {gate, up, limit, weight});
      }
    }
  }
}

TEST_P(MoeRowsTest, SwigluOfHardRows) {
  std::mt19937 random(4);
  for (float limit : {0.0f, 10.0f}) {  // below 2^61, so that no product overflows
    ExpectSwiglu(Fast(), Truth(),
                 {WideRow(random, 2000, -133, 60), WideRow(random, 2000, -133, 60), limit, 1.2f});
    Row steep;  // where the exponential leaves fp32, which all results feel
    for (int i = 0; i < 2000; ++i) steep.push_back(RoundToBf16(-70 - static_cast<float>(i) / 40));
    ExpectSwiglu(Fast(), Truth(), {steep, ConstantRow(2000, 0x1p60f), limit, 1.2f}, 1);
  }
}

TEST_P(MoeRowsTest, SwigluOfAChannelDoesNotDependOnItsPlace) {
  std::mt19937 random(5);
  const SwigluCase whole{NormalRow(random, 300, 4), NormalRow(random, 300, 4), 10, 0.3f};
  const auto expected = Bits(Swiglu(Fast(), whole));
  for (size_t n : kSizes) {
    for (size_t begin : {0, 1, 3, 40}) {
      const SwigluCase part{Columns(whole.gate, 300, begin, n), Columns(whole.up, 300, begin, n),
                            10, 0.3f};
      EXPECT_EQ(Bits(Swiglu(Fast(), part)), Columns(expected, 300, begin, n)) << n;
    }
  }
}

// ---- sum_rows
// ------------------------------------------------------------------------------------

Row Sum(const Kernels& k, const Row& parts, size_t n) {
  std::vector<const Bf16*> rows;
  for (size_t i = 0; i < parts.size() / n; ++i) rows.push_back(parts.data() + i * n);
  Row out(n);
  k.sum_rows(rows.data(), rows.size(), n, out.data());
  return out;
}

// count - 1 additions round, each by at most 2^-24 of the sum of magnitudes.
std::vector<double> SumBounds(const Row& parts, size_t n) {
  std::vector<double> bounds(n);
  const double roundings = static_cast<double>(parts.size() / n) - 1;
  for (size_t i = 0; i < parts.size(); ++i) {
    bounds[i % n] += roundings * kFloatRounding * std::fabs(ToFloat(parts[i]));
  }
  return bounds;
}

TEST_P(MoeRowsTest, SumRowsStaysNearTheReference) {
  std::mt19937 random(6);
  const size_t n = 1000;
  for (size_t count : {1, 2, 7, 9, 33}) {
    const Row parts = NormalRow(random, count * n);
    ExpectRounded(Sum(Fast(), parts, n), Sum(Truth(), parts, n), SumBounds(parts, n), kRare);
    const Row wide = WideRow(random, count * n, -133, 121);  // 33 of them do not overflow
    ExpectRounded(Sum(Fast(), wide, n), Sum(Truth(), wide, n), SumBounds(wide, n), kRare);
  }
}

TEST_P(MoeRowsTest, SumOfCancellingRows) {
  Row parts;
  for (float value : {1.0f, 0x1p-20f, -1.0f}) {
    for (int i = 0; i < 40; ++i) parts.push_back(RoundToBf16(value));
  }
  EXPECT_EQ(Bits(Sum(Fast(), parts, 40)), Bits(ConstantRow(40, 0x1p-20f)));
}

TEST_P(MoeRowsTest, SumOfAChannelDoesNotDependOnItsPlace) {
  std::mt19937 random(7);
  const Row whole = NormalRow(random, 7 * 300);
  const auto expected = Bits(Sum(Fast(), whole, 300));
  for (size_t n : kSizes) {
    for (size_t begin : {0, 1, 3, 40}) {
      EXPECT_EQ(Bits(Sum(Fast(), Columns(whole, 300, begin, n), n)),
                Columns(expected, 300, begin, n))
          << n;
    }
  }
}

CEDAR_FOR_EACH_ISA(MoeRowsTest);

}  // namespace
}  // namespace cedar::simd
