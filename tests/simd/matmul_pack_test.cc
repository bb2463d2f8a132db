#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <random>
#include <vector>

#include "simd/matmul_onednn.h"
#include "tests/simd/isa_cases.h"
#include "tests/simd/matmul_cases.h"

namespace cedar::simd {
namespace {

// [0, cols) cut at random multiples of 32, in random order.
std::vector<Range> RandomParts(size_t cols, std::mt19937& random) {
  std::vector<Range> parts{{0, 0}};
  for (size_t at = 32; at <= cols; at += 32) {
    parts.back().end = at;
    if (at < cols && random() % 3 == 0) parts.push_back({at, at});
  }
  std::shuffle(parts.begin(), parts.end(), random);
  return parts;
}

class MatMulPackTest : public IsaCase {
 protected:
  static void ExpectPartsMakeTheWhole(const MatMul& matmul, Format format, Activation activation,
                                      std::mt19937& random) {
    for (const size_t cols : {32, 64, 128, 160, 288, 544, 1056, 2304}) {
      const std::vector<Bf16> x = RandomRow(cols, random);
      const size_t bytes = matmul.packed_bytes(format, cols);
      AlignedBytes whole(bytes), parts(bytes);
      matmul.pack(format, activation, x.data(), cols, {0, cols}, whole.data());
      for (const Range& part : RandomParts(cols, random)) {
        matmul.pack(format, activation, x.data(), cols, part, parts.data());
      }
      EXPECT_EQ(std::memcmp(whole.data(), parts.data(), bytes), 0)
          << matmul.name << ", " << FormatName(format) << ", " << cols << " channels";
    }
  }
};

TEST_P(MatMulPackTest, PartsInAnyOrderMakeTheWhole) {
  std::mt19937 random(1);
  const std::optional<MatMul> onednn = OneDnnMatMul(GetParam());
  for (const Format format : kFormats) {
    for (const Activation activation : {Activation::kBf16, Activation::kFp8}) {
      ExpectPartsMakeTheWhole(Fast().generated, format, activation, random);
      ExpectPartsMakeTheWhole(Fast().prompt, format, activation, random);
      ExpectPartsMakeTheWhole(Truth().generated, format, activation, random);
      if (onednn) ExpectPartsMakeTheWhole(*onednn, format, activation, random);
    }
  }
}

TEST_P(MatMulPackTest, PartsOfIntegersToo) {
  std::mt19937 random(2);
  ExpectPartsMakeTheWhole(Fast().integer, Format::kFp4, Activation::kInt8, random);
  ExpectPartsMakeTheWhole(Truth().integer, Format::kFp4, Activation::kInt8, random);
}

CEDAR_FOR_EACH_ISA(MatMulPackTest);

}  // namespace
}  // namespace cedar::simd
