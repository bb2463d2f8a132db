#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "tests/simd/hard_rows.h"
#include "tests/simd/isa_cases.h"

// These kernels compute in double as the reference does. Only the order of a sum, a reciprocal and
// the exponential differ, by less than n * 2^-50 of the result for n <= 5120 channels; a bf16
// result changes only if a rounding boundary (one in 2^-9 of its size) lies within that, which none
// of these fixed inputs meets. So the tests ask for equal bits.

namespace cedar::simd {
namespace {

using RowsTest = IsaCase;

constexpr size_t kSizes[] = {1, 2, 3, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 100, 257};

// ---- rms_norm
// ------------------------------------------------------------------------------------

std::vector<uint16_t> Norm(const Kernels& k, const Bf16* x, const float* weight, size_t n,
                           double eps) {
  Row out(n);
  k.rms_norm(x, weight, n, eps, out.data());
  return Bits(out);
}

TEST_P(RowsTest, RmsNormEqualsTheReferenceAtAnySizeAndAlignment) {
  std::mt19937 random(1);
  const Row x = NormalRow(random, 300);
  const auto weight = NormalFloats(random, 300);
  for (size_t n : kSizes) {
    for (size_t offset : {0, 1, 3, 16}) {
      EXPECT_EQ(Norm(Fast(), x.data() + offset, weight.data() + offset, n, 1e-20),
                Norm(Truth(), x.data() + offset, weight.data() + offset, n, 1e-20))
          << n << " channels from " << offset;
    }
  }
}

TEST_P(RowsTest, RmsNormOfHardRows) {
  std::mt19937 random(2);
  const size_t n = 5120;
  const auto weight = NormalFloats(random, n);
  for (const Row& x :
       {NormalRow(random, n), WideRow(random, n, -133, 127), WideRow(random, n, -133, -120),
        WideRow(random, n, 120, 127), ConstantRow(n, 0x1.FEp127f), ConstantRow(n, -0.0f),
        ConstantRow(n, 0x1p-133f), ConstantRow(n, 3)}) {
    EXPECT_EQ(Norm(Fast(), x.data(), weight.data(), n, 1e-20),
              Norm(Truth(), x.data(), weight.data(), n, 1e-20));
  }
}

TEST_P(RowsTest, RmsNormInPlace) {
  std::mt19937 random(3);
  Row x = NormalRow(random, 77);
  const auto weight = NormalFloats(random, x.size());
  const auto expected = Norm(Fast(), x.data(), weight.data(), x.size(), 1e-6);
  Fast().rms_norm(x.data(), weight.data(), x.size(), 1e-6, x.data());
  EXPECT_EQ(Bits(x), expected);
}

// ---- rope
// ----------------------------------------------------------------------------------------

struct Angles {
  std::vector<float> cos, sin;
};

Angles MakeAngles(size_t pairs, float position) {
  Angles a;
  for (size_t i = 0; i < pairs; ++i) {
    const float angle = position / (1 + static_cast<float>(i));
    a.cos.push_back(std::cos(angle));
    a.sin.push_back(std::sin(angle));
  }
  return a;
}

std::vector<uint16_t> Rotated(const Kernels& k, Row x, size_t offset, size_t count, size_t dim,
                              const Angles& a, bool inverse) {
  k.rope(x.data() + offset, count, dim, 2 * a.cos.size(), a.cos.data(), a.sin.data(), inverse);
  return Bits(x);
}

TEST_P(RowsTest, RopeEqualsTheReferenceAtAnySizeAndAlignment) {
  std::mt19937 random(4);
  const Row x = NormalRow(random, 3 * 200 + 8);
  for (size_t rope_dim : {2, 4, 6, 8, 10, 14, 16, 18, 30, 32, 34, 64, 66}) {
    for (size_t kept : {0, 1, 5, 64}) {
      for (size_t offset : {0, 1, 3}) {
        const Angles a = MakeAngles(rope_dim / 2, 17);
        for (bool inverse : {false, true}) {
          EXPECT_EQ(Rotated(Fast(), x, offset, 3, kept + rope_dim, a, inverse),
                    Rotated(Truth(), x, offset, 3, kept + rope_dim, a, inverse))
              << rope_dim << " channels after " << kept << ", from " << offset;
        }
      }
    }
  }
}

TEST_P(RowsTest, RopeOfHardRows) {
  std::mt19937 random(5);
  Row cancelling;
  const Angles a = MakeAngles(32, 1000);
  for (size_t i = 0; i < 32; ++i) {  // a cos - b sin is all but 0
    cancelling.push_back(RoundToBf16(a.sin[i]));
    cancelling.push_back(RoundToBf16(a.cos[i]));
  }
  for (const Row& x : {WideRow(random, 64, -133, 127), WideRow(random, 64, 126, 127),
                       WideRow(random, 64, -133, -126), ConstantRow(64, -0.0f), cancelling}) {
    for (bool inverse : {false, true}) {
      EXPECT_EQ(Rotated(Fast(), x, 0, 1, 64, a, inverse),
                Rotated(Truth(), x, 0, 1, 64, a, inverse));
    }
  }
}

// ---- pool
// ----------------------------------------------------------------------------------------

// kv and gate: one row of n for each token.
std::vector<uint16_t> Pooled(const Kernels& k, const std::vector<std::vector<float>>& kv,
                             const std::vector<std::vector<float>>& gate, size_t offset, size_t n) {
  std::vector<const float*> kv_rows, gate_rows;
  for (const auto& row : kv) kv_rows.push_back(row.data() + offset);
  for (const auto& row : gate) gate_rows.push_back(row.data() + offset);
  Row out(n);
  k.pool(kv_rows.data(), gate_rows.data(), kv.size(), n, out.data());
  return Bits(out);
}

TEST_P(RowsTest, PoolEqualsTheReferenceAtAnySizeAndAlignment) {
  std::mt19937 random(6);
  for (size_t ratio : {2, 3, 4, 9}) {
    std::vector<std::vector<float>> kv, gate;
    for (size_t t = 0; t < ratio; ++t) {
      kv.push_back(NormalFloats(random, 300));
      gate.push_back(NormalFloats(random, 300, 3));
    }
    for (size_t n : kSizes) {
      for (size_t offset : {0, 1, 3, 16}) {
        EXPECT_EQ(Pooled(Fast(), kv, gate, offset, n), Pooled(Truth(), kv, gate, offset, n))
            << ratio << " tokens, " << n << " channels from " << offset;
      }
    }
  }
}

TEST_P(RowsTest, PoolOfHardRows) {
  const std::vector<std::vector<float>> kv = {{1, 1, 1e30f, 1e30f, -0.0f, 0x1p-140f, 5, 7, 3},
                                              {2, 2, -1e30f, -1e30f, -0.0f, 0, 6, 9, 3}};
  const std::vector<std::vector<float>> gate = {{1e30f, -1e30f, 4, 4, 1, 2, -800, 90, 0.1f},
                                                {-1e30f, -1e30f, 4, 3.999f, 2, 1, -95, 0, 0.7f}};
  EXPECT_EQ(Pooled(Fast(), kv, gate, 0, 9), Pooled(Truth(), kv, gate, 0, 9));
}

CEDAR_FOR_EACH_ISA(RowsTest);

}  // namespace
}  // namespace cedar::simd
