// FP4 weights times int8 activations.

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include "tests/simd/isa_cases.h"
#include "tests/simd/matmul_cases.h"

namespace cedar::simd {
namespace {

class MatMulInt8Test : public IsaCase {
 protected:
  static std::vector<float> Products(const Kernels& kernels, const WeightMatrix& w, const Rows& x) {
    return Multiply(kernels.integer, w, Activation::kInt8, x);
  }

  // The sum of a block is exact, its product with a scale is rounded once, and then it takes part
  // in at most one rounding for each block and a few among lanes; the truth rounds each activation
  // once, and its sum. All by at most 2^-24 of what the sum of magnitudes bounds.
  static void ExpectNear(const TestMatrix& w, const Rows& x) {
    const std::vector<float> expected = Products(Truth(), w.view, x);
    const std::vector<float> size = Products(Truth(), Magnitudes(w).view, Magnitudes(x));
    const std::vector<float> actual = Products(Fast(), w.view, x);
    const double roundings = static_cast<double>(w.view.cols / kScaleBlock) + 8;
    for (size_t i = 0; i < expected.size(); ++i) {
      ASSERT_NEAR(actual[i], expected[i], roundings * 0x1p-24 * size[i])
          << w.view.rows << " x " << w.view.cols << ", " << x.size() << " rows, element " << i;
    }
  }
};

TEST_P(MatMulInt8Test, EqualsTheReferenceAtAnySizeAndAlignment) {
  std::mt19937 random(1);
  for (size_t rows : {1, 2, 5, 33}) {
    for (size_t cols : {32, 64, 96, 160, 288, 512, 1056, 3200}) {  // 3200: more than a panel
      for (size_t slack : {0, 1, 7}) {
        const TestMatrix w = RandomMatrix(Format::kFp4, rows, cols, random, 112, 130, slack);
        for (size_t count : {1, 2, 3, 4, 5, 9}) ExpectNear(w, RandomRows(count, cols, random));
      }
    }
  }
}

TEST_P(MatMulInt8Test, ReleasedWidths) {
  std::mt19937 random(2);
  for (size_t cols : {2304, 5120}) {
    const TestMatrix w = RandomMatrix(Format::kFp4, 70, cols, random);
    ExpectNear(w, RandomRows(1, cols, random));
    ExpectNear(w, RandomRows(100, cols, random));
  }
}

TEST_P(MatMulInt8Test, ExtremeScalesAndZeros) {
  std::mt19937 random(4);
  Rows x = RandomRows(3, 160, random);
  for (size_t i = 0; i < 160; i += 3) x[0][i].bits = i % 2 == 0 ? 0 : 0x8000;
  for (size_t i = 32; i < 64; ++i) x[1][i].bits = 0;  // a block without a scale
  ExpectNear(RandomMatrix(Format::kFp4, 7, 160, random, 228, 230), x);
  // Sums of subnormals are exact, so the bound holds there too.
  ExpectNear(RandomMatrix(Format::kFp4, 7, 160, random, 0, 12), x);
}

// Every code in every position of a step, against the largest activation of either sign alone in
// its block, and against blocks full of them: 32 products of 6 times 127.
TEST_P(MatMulInt8Test, EveryCodeAndTheLargestSums) {
  const size_t cols = 512;
  TestMatrix w;
  w.view = {.format = Format::kFp4, .rows = 16, .cols = cols};
  w.scales.assign(16 * cols / 32, 127);
  for (int code = 0; code < 16; ++code) {
    w.data.insert(w.data.end(), cols / 2, static_cast<uint8_t>(code | code << 4));
  }
  w.Guard(0);
  Rows x(2 * cols + 2, std::vector<Bf16>(cols));
  for (size_t i = 0; i < 2 * cols; ++i) x[i][i / 2] = RoundToBf16(i % 2 == 0 ? 127 : -127);
  for (size_t i = 0; i < 2; ++i) x[2 * cols + i].assign(cols, RoundToBf16(i == 0 ? 127 : -127));
  EXPECT_EQ(Products(Fast(), w.view, x), Products(Truth(), w.view, x));
}

TEST_P(MatMulInt8Test, BitsDependNeitherOnCompanyNorOnRanges) {
  std::mt19937 random(5);
  const size_t rows = 37;
  for (size_t cols : {416, 640, 672, 1024, 3200}) {  // last steps of many sizes
    const TestMatrix w = RandomMatrix(Format::kFp4, rows, cols, random);
    const Rows all = RandomRows(110, cols, random);
    const std::vector<float> expected = Products(Fast(), w.view, all);
    for (size_t count = 1; count <= all.size(); ++count) {
      const std::vector<float> y = Products(Fast(), w.view, Rows(all.begin(), all.begin() + count));
      ASSERT_EQ(std::memcmp(y.data(), expected.data(), y.size() * sizeof(float)), 0)
          << count << " rows";
    }
    const PackedRows packed(Fast().integer, Format::kFp4, Activation::kInt8, all);
    AlignedBytes scratch(Fast().integer.scratch_bytes(Format::kFp4, cols));
    for (size_t length : {1, 2, 3, 16, 32}) {
      std::vector<float> y(expected.size());
      for (size_t begin = 0; begin < rows; begin += length) {
        Fast().integer.multiply(w.view, {begin, std::min(rows, begin + length)}, packed.pointers(),
                                {.f32 = y.data(), .stride = rows}, scratch.data());
      }
      ASSERT_EQ(y, expected) << "in ranges of " << length;
    }
  }
}

TEST_P(MatMulInt8Test, WritesOnlyItsRangeAndRoundsToBf16) {
  std::mt19937 random(6);
  const size_t rows = 11, cols = 64, stride = 13;
  const TestMatrix w = RandomMatrix(Format::kFp4, rows, cols, random);
  for (size_t count : {3, 7}) {
    const Rows x = RandomRows(count, cols, random);
    const std::vector<float> expected = Products(Fast(), w.view, x);
    const PackedRows packed(Fast().integer, Format::kFp4, Activation::kInt8, x);
    AlignedBytes scratch(Fast().integer.scratch_bytes(Format::kFp4, cols));
    std::vector<Bf16> y(count * stride, Bf16{0x1234});
    Fast().integer.multiply(w.view, {2, 9}, packed.pointers(), {.bf16 = y.data(), .stride = stride},
                            scratch.data());
    for (size_t i = 0; i < count * stride; ++i) {
      const size_t row = i / stride, j = i % stride;
      const bool inside = 2 <= j && j < 9;
      ASSERT_EQ(y[i].bits, inside ? RoundToBf16(expected[row * rows + j]).bits : 0x1234) << i;
    }
  }
}

// Ones on the diagonal hand out the quantised activations themselves.
TestMatrix Identity(size_t n) {
  TestMatrix w;
  w.view = {.format = Format::kFp4, .rows = n, .cols = n};
  w.data.assign(n * n / 2, 0);
  for (size_t i = 0; i < n; ++i) w.data[(i * n + i) / 2] = i % 2 == 0 ? 0x02 : 0x20;
  w.scales.assign(n * n / 32, 127);
  w.Guard(0);
  return w;
}

TEST_P(MatMulInt8Test, QuantisesLikeTheReferenceOnEveryInput) {
  const TestMatrix w = Identity(32);
  // All mantissas of the largest magnitude at one size; a few at others, subnormals included.
  std::vector<uint16_t> largest = {1, 2, 3, 0x7F};
  for (uint16_t mantissa = 0; mantissa < 128; ++mantissa) largest.push_back(0x3F80 | mantissa);
  for (uint16_t exponent : {1, 7, 8, 90, 200, 240}) {
    for (uint16_t mantissa : {0, 0x51, 0x7F}) {
      largest.push_back(static_cast<uint16_t>(exponent << 7 | mantissa));
    }
  }
  for (uint16_t bits : largest) {
    const Rows x = BlocksBelow(Bf16{bits}, 9);
    ASSERT_EQ(Products(Fast(), w.view, x), Products(Truth(), w.view, x)) << std::hex << bits;
  }
}

CEDAR_FOR_EACH_ISA(MatMulInt8Test);

}  // namespace
}  // namespace cedar::simd
