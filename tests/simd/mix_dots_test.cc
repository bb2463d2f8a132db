#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "tests/simd/isa_cases.h"
#include "tests/simd/matmul_cases.h"

namespace cedar::simd {
namespace {

using MixDotsTest = IsaCase;
using Rows = std::vector<std::vector<Bf16>>;

constexpr size_t kFnRows = 24;

Rows RandomRows(size_t count, size_t cols, std::mt19937& random) {
  Rows rows;
  for (size_t i = 0; i < count; ++i) rows.push_back(RandomRow(cols, random));
  return rows;
}

// Dots of the rows of fn in `range`, `together` tokens to a call; [tokens][kFnRows].
std::vector<double> Dots(const Kernels& k, const WeightMatrix& fn, Range range, const Rows& x,
                         size_t together) {
  std::vector<const Bf16*> streams;
  for (const auto& row : x) streams.push_back(row.data());
  std::vector<double> dots(x.size() * kFnRows, NAN);
  for (size_t t = 0; t < x.size(); t += together) {
    const size_t count = std::min(together, x.size() - t);
    k.mix_dots(fn, range, {&streams[t], count}, &dots[t * kFnRows]);
  }
  return dots;
}

// fn by the reference with every factor's magnitude: bounds all partial sums.
std::vector<double> Sizes(const TestMatrix& fn, Rows x) {
  for (auto& row : x) {
    for (Bf16& v : row) v.bits &= 0x7FFF;
  }
  TestMatrix positive;
  positive.view = fn.view;
  positive.data = fn.data;
  const size_t bytes = fn.view.format == Format::kF32 ? 4 : 2;
  for (size_t i = bytes - 1; i < positive.data.size(); i += bytes) positive.data[i] &= 0x7F;
  positive.Guard(0);
  return Dots(KernelsFor(Isa::kReference), positive.view, {0, kFnRows}, x, 1);
}

// A lane adds up at most 1024 / 4 products before it is added to three others, each with a rounding
// of at most 2^-24 of a partial sum; what is done in double does not count beside that.
TEST_P(MixDotsTest, NearTheReferenceAtAnyAddress) {
  std::mt19937 random(7);
  for (const Format format : {Format::kF32, Format::kBf16}) {
    for (const size_t cols : {32, 96, 1024, 1056, 20480}) {
      for (const size_t slack : {0, 1, 3}) {
        const TestMatrix fn = RandomMatrix(format, kFnRows, cols, random, 0, 0, slack);
        const Rows x = RandomRows(3, cols, random);
        const std::vector<double> expected = Dots(Truth(), fn.view, {0, kFnRows}, x, 3);
        const std::vector<double> actual = Dots(Fast(), fn.view, {0, kFnRows}, x, 3);
        const std::vector<double> sizes = Sizes(fn, x);
        for (size_t i = 0; i < expected.size(); ++i) {
          ASSERT_NEAR(actual[i], expected[i], (1024 / 4 + 3) * 0x1p-24 * sizes[i])
              << cols << " columns";
        }
      }
    }
  }
}

TEST_P(MixDotsTest, BitsDoNotDependOnCompanyOrRange) {
  std::mt19937 random(8);
  for (const Format format : {Format::kF32, Format::kBf16}) {
    const TestMatrix fn = RandomMatrix(format, kFnRows, 2080, random);
    const Rows x = RandomRows(7, 2080, random);
    const std::vector<double> expected = Dots(Fast(), fn.view, {0, kFnRows}, x, 1);
    for (const size_t together : {2, 3, 7}) {
      EXPECT_EQ(Dots(Fast(), fn.view, {0, kFnRows}, x, together), expected);
      for (const Range range : {Range{0, 1}, {3, 10}, {5, 24}}) {
        const std::vector<double> part = Dots(Fast(), fn.view, range, x, together);
        for (size_t t = 0; t < x.size(); ++t) {
          for (size_t j = 0; j < kFnRows; ++j) {
            const bool inside = j >= range.begin && j < range.end;
            const double dot = part[t * kFnRows + j];
            ASSERT_TRUE(inside ? dot == expected[t * kFnRows + j] : std::isnan(dot));
          }
        }
      }
    }
  }
}

CEDAR_FOR_EACH_ISA(MixDotsTest);

}  // namespace
}  // namespace cedar::simd
