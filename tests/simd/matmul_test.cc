#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <optional>
#include <random>
#include <vector>

#include "simd/matmul_onednn.h"
#include "tests/simd/isa_cases.h"
#include "tests/simd/matmul_cases.h"

namespace cedar::simd {
namespace {

// How far a sum of fp32 roundings may be from the truth: the products are exact (but F32 weights',
// which are fused into the sum), vectors have at least four lanes, so a product takes part in at
// most cols / 4 roundings within its lane, a few among lanes and scales and one of the truth; each
// is off by at most 2^-24 of a partial sum, which the sum of magnitudes bounds.
double Tolerance(size_t cols, double magnitude) {
  return (static_cast<double>(cols) / 4 + 8) * 0x1p-24 * magnitude;
}

class MatMulTest : public IsaCase {
 protected:
  // The two of the table, and oneDNN where it can run, also if nothing chooses it here.
  static std::vector<const MatMul*> Tables() {
    static std::optional<MatMul> onednn;
    std::vector<const MatMul*> tables = {&Fast().generated, &Fast().prompt};
    onednn = OneDnnMatMul(GetParam());
    if (onednn) tables.push_back(&*onednn);
    return tables;
  }

  static void ExpectNear(const TestMatrix& w, Activation activation, const Rows& x,
                         double extra = 0) {
    const MatMul& truth = Truth().generated;
    const std::vector<float> expected = Multiply(truth, w.view, activation, x);
    const std::vector<float> size = Multiply(truth, Magnitudes(w).view, activation, Magnitudes(x));
    for (const MatMul* table : Tables()) {
      const std::vector<float> actual = Multiply(*table, w.view, activation, x);
      for (size_t i = 0; i < expected.size(); ++i) {
        ASSERT_NEAR(actual[i], expected[i], Tolerance(w.view.cols, size[i]) + extra)
            << table->name << ", " << FormatName(w.view.format) << " " << w.view.rows << " x "
            << w.view.cols << ", " << x.size() << " rows, element " << i;
      }
    }
  }
};

TEST_P(MatMulTest, EqualsTheReferenceAtAnySizeAndAlignment) {
  std::mt19937 random(1);
  for (Format format : kFormats) {
    for (size_t rows : {1, 2, 5, 33}) {
      for (size_t cols : {32, 64, 96, 128, 160, 288, 1056}) {
        for (size_t slack : {0, 1, 7}) {
          const TestMatrix w = RandomMatrix(format, rows, cols, random, 112, 130, slack);
          for (size_t count : {1, 2, 3, 9}) {
            ExpectNear(w, Activation::kBf16, RandomRows(count, cols, random));
            ExpectNear(w, Activation::kFp8, RandomRows(count, cols, random));
          }
        }
      }
    }
  }
}

TEST_P(MatMulTest, ReleasedWidths) {
  std::mt19937 random(2);
  for (Format format : kFormats) {
    for (size_t cols : {1280, 2304, 5120}) {
      ExpectNear(RandomMatrix(format, 70, cols, random), Activation::kFp8,
                 RandomRows(3, cols, random));
    }
  }
}

// Every code of a format once, in every position of a step, against a one.
TEST_P(MatMulTest, EveryCode) {
  for (Format format : {Format::kFp8, Format::kFp4}) {
    const size_t codes = format == Format::kFp8 ? 256 : 16, cols = 256;
    TestMatrix w;
    w.view = {.format = format, .rows = codes, .cols = cols};
    w.scales.assign(codes * cols / 32, 127);
    for (size_t code = 0; code < codes; ++code) {
      const uint8_t byte = format == Format::kFp8 ? code : code | code << 4;
      w.data.insert(w.data.end(), format == Format::kFp8 ? cols : cols / 2,
                    (byte & 0x7F) == 0x7F && format == Format::kFp8 ? uint8_t{0} : byte);
    }
    w.Guard(0);
    Rows x(cols, std::vector<Bf16>(cols));
    for (size_t i = 0; i < cols; ++i) x[i][i] = RoundToBf16(1);
    const std::vector<float> expected = Multiply(Truth().generated, w.view, Activation::kBf16, x);
    for (const MatMul* table : Tables()) {
      EXPECT_EQ(Multiply(*table, w.view, Activation::kBf16, x), expected) << table->name;
    }
  }
}

// Rows whose products cancel exactly in pairs: what is left is the one that has no partner.
TEST_P(MatMulTest, CancellingRows) {
  std::mt19937 random(3);
  for (Format format : kFormats) {
    const size_t cols = 384;
    const TestMatrix w = RandomMatrix(format, 9, cols / 2, random, 127, 127);
    // Each weight row twice in a row: blocks of 32 columns come before or after their copies.
    TestMatrix twice;
    twice.view = {.format = format, .rows = 9, .cols = cols};
    for (size_t r = 0; r < 9; ++r) {
      const size_t bytes = w.data.size() / 9;
      for (int copy = 0; copy < 2; ++copy) {
        twice.data.insert(twice.data.end(), w.data.begin() + r * bytes,
                          w.data.begin() + (r + 1) * bytes);
      }
    }
    twice.scales.assign(format == Format::kFp8 ? cols / 32 : 9 * cols / 32, 127);
    if (w.scales.empty()) twice.scales.clear();
    twice.Guard(1);
    Rows x = {RandomRow(cols, random)};
    for (size_t i = 0; i < cols / 2; ++i) x[0][i + cols / 2].bits = x[0][i].bits ^ 0x8000;
    ExpectNear(twice, Activation::kBf16, x);
    ExpectNear(twice, Activation::kFp8, x);
  }
}

// What AVX2 takes for generated rows of FP8 ends below 2^67 (simd/kernels.h), elsewhere where sums
// stop to be finite.
bool IsNarrow(Isa isa, Format format) { return isa == Isa::kAvx2 && format == Format::kFp8; }

// Zeros of either sign, and the largest and the smallest scales that kernels take.
TEST_P(MatMulTest, ExtremeScales) {
  std::mt19937 random(4);
  for (Format format : {Format::kFp8, Format::kFp4}) {
    Rows x = RandomRows(3, 160, random);
    for (size_t i = 0; i < 160; i += 3) x[0][i].bits = i % 2 == 0 ? 0 : 0x8000;
    const uint8_t largest = IsNarrow(GetParam(), format) ? 192 : 230;
    ExpectNear(RandomMatrix(format, 7, 160, random, largest - 2, largest), Activation::kBf16, x);
    // Where weights are below 2^-126 a bf16 dot may take them for zero, and a kernel may take a
    // block for zero whose largest weight is 6 * 2^-127.
    double sum = 0;
    for (Bf16 v : x[1]) sum += std::fabs(ToFloat(v));
    ExpectNear(RandomMatrix(format, 7, 160, random, 0, 12), Activation::kBf16, {x[1]},
               3 * 0x1p-126 * sum);
  }
}

TEST_P(MatMulTest, BitsDependNeitherOnCompanyNorOnRanges) {
  std::mt19937 random(5);
  for (Format format : kFormats) {
    const size_t rows = 37, cols = 416;
    const TestMatrix w = RandomMatrix(format, rows, cols, random);
    const Rows all = RandomRows(70, cols, random);
    for (const MatMul* table : Tables()) {
      const std::vector<float> expected = Multiply(*table, w.view, Activation::kFp8, all);
      for (size_t count = 1; count <= 70; ++count) {
        const Rows some(all.begin(), all.begin() + count);
        const std::vector<float> y = Multiply(*table, w.view, Activation::kFp8, some);
        ASSERT_EQ(std::memcmp(y.data(), expected.data(), y.size() * sizeof(float)), 0)
            << table->name << ", " << FormatName(format) << ", " << count << " rows";
      }
      const PackedRows packed(*table, format, Activation::kFp8, all);
      AlignedBytes scratch(table->scratch_bytes(format, cols));
      std::vector<float> y(expected.size());
      for (size_t length : {1, 2, 3, 16, 32}) {
        for (size_t begin = 0; begin < rows; begin += length) {
          table->multiply(w.view, {begin, std::min(rows, begin + length)}, packed.pointers(),
                          {.f32 = y.data(), .stride = rows}, scratch.data());
        }
        ASSERT_EQ(y, expected) << table->name << ", " << FormatName(format) << " in ranges of "
                               << length;
      }
    }
  }
}

// However many columns there are: some kernels cut them into panels.
TEST_P(MatMulTest, ScratchIsEnough) {
  std::mt19937 random(7);
  const size_t widest = 6144, rows = 4;
  for (Format format : {Format::kFp8, Format::kFp4}) {
    const TestMatrix w = RandomMatrix(format, rows, widest, random);
    const Rows x = RandomRows(9, widest, random);
    for (const MatMul* table : Tables()) {
      for (size_t cols = 32; cols <= widest; cols += cols < 512 ? 32 : 160) {
        WeightMatrix part = w.view;
        part.cols = cols;
        for (size_t count : {1, 3, 4, 5, 6, 7, 8, 9}) {
          const Rows some(x.begin(), x.begin() + count);
          const std::vector<float> y = Multiply(*table, part, Activation::kBf16, some);
          ASSERT_TRUE(std::isfinite(y.back())) << table->name << ", " << cols << " columns";
        }
      }
    }
  }
}

TEST_P(MatMulTest, WritesOnlyItsRangeAndRoundsToBf16) {
  std::mt19937 random(6);
  const size_t rows = 11, cols = 64, stride = 13;
  const Rows x = RandomRows(3, cols, random);
  for (Format format : kFormats) {
    const TestMatrix w = RandomMatrix(format, rows, cols, random);
    for (const MatMul* table : Tables()) {
      const std::vector<float> expected = Multiply(*table, w.view, Activation::kBf16, x);
      const PackedRows packed(*table, format, Activation::kBf16, x);
      AlignedBytes scratch(table->scratch_bytes(format, cols));
      std::vector<Bf16> y(3 * stride, Bf16{0x1234});
      table->multiply(w.view, {2, 9}, packed.pointers(), {.bf16 = y.data(), .stride = stride},
                      scratch.data());
      for (size_t i = 0; i < 3; ++i) {
        for (size_t j = 0; j < stride; ++j) {
          const bool inside = 2 <= j && j < 9;
          const uint16_t want = inside ? RoundToBf16(expected[i * rows + j]).bits : 0x1234;
          ASSERT_EQ(y[i * stride + j].bits, want) << table->name << " " << i << " " << j;
        }
      }
    }
  }
}

// An FP8 matrix of ones on the diagonal hands out the quantised activations themselves.
TestMatrix Identity(size_t n) {
  TestMatrix w;
  w.view = {.format = Format::kFp8, .rows = n, .cols = n};
  w.data.assign(n * n, 0);
  for (size_t i = 0; i < n; ++i) w.data[i * n + i] = EncodeE4m3(1);
  w.scales.assign(n / 32 * (n / 32), 127);
  w.Guard(0);
  return w;
}

TEST_P(MatMulTest, QuantisesLikeTheReferenceOnEveryInput) {
  const TestMatrix w = Identity(32);
  // All mantissas of the largest magnitude at one size; a few at others, down to below 1e-4 and up
  // to where quantising would overflow.
  std::vector<uint16_t> largest;
  for (uint16_t mantissa = 0; mantissa < 128; ++mantissa) largest.push_back(0x3F80 | mantissa);
  for (uint16_t exponent : {1, 90, 112, 113, 114, 120, 140, 192, 200, 240}) {
    for (uint16_t mantissa : {0, 0x51, 0x52, 0x60, 0x61, 0x7F}) {
      largest.push_back(static_cast<uint16_t>(exponent << 7 | mantissa));
    }
  }
  for (uint16_t bits : largest) {
    const Rows x = BlocksBelow(Bf16{bits}, 14);  // what rounding to E4M3 can meet
    const std::vector<float> expected = Multiply(Truth().generated, w.view, Activation::kFp8, x);
    for (const MatMul* table : Tables()) {
      const bool takes =
          table != &Fast().generated || !IsNarrow(GetParam(), w.view.format) || bits < (193 << 7);
      if (!takes) continue;
      ASSERT_EQ(Multiply(*table, w.view, Activation::kFp8, x), expected) << std::hex << bits;
    }
  }
}

CEDAR_FOR_EACH_ISA(MatMulTest);

}  // namespace
}  // namespace cedar::simd
