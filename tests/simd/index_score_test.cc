#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "tests/simd/hard_rows.h"
#include "tests/simd/isa_cases.h"

namespace cedar::simd {
namespace {

using IndexScoreTest = IsaCase;

constexpr double kHalfUlp = 0x1p-24;  // of fp32, relative
constexpr float kUntouched = -77;

struct Token {
  size_t heads, dim, rows;
  std::vector<uint8_t> queries, keys;  // with a byte in front: misaligned
  std::vector<float> w;
};

// Rows of random codes whose scales lie between 2^lowest and 2^(lowest + span - 1).
std::vector<uint8_t> Packed(std::mt19937& random, size_t rows, size_t dim, int lowest, int span) {
  std::vector<uint8_t> packed(1 + rows * IndexKeyBytes(dim));
  for (size_t i = 1; i < packed.size(); ++i) {
    const bool code = (i - 1) % IndexKeyBytes(dim) < dim / 2;
    packed[i] = static_cast<uint8_t>(code ? random() : 127 + lowest + random() % span);
  }
  return packed;
}

Token RandomToken(size_t heads, size_t dim, size_t rows, int lowest = -4, int span = 8) {
  std::mt19937 random(static_cast<unsigned>(heads * dim + rows));
  return {heads,
          dim,
          rows,
          Packed(random, heads, dim, lowest, span),
          Packed(random, rows, dim, lowest, span),
          NormalFloats(random, heads)};
}

std::vector<float> Scores(const Kernels& kernels, const Token& token, Range rows) {
  std::vector<const uint8_t*> keys;
  for (size_t r = rows.begin; r < rows.end; ++r) {
    keys.push_back(token.keys.data() + 1 + r * IndexKeyBytes(token.dim));
  }
  std::vector<float> scores(token.rows, kUntouched);
  kernels.index_scores(token.queries.data() + 1, token.w.data(), token.heads, token.dim, keys,
                       scores.data() + rows.begin);
  return scores;
}

double Element(const uint8_t* row, size_t dim, size_t i) {
  const uint8_t pair = row[i / 2];
  return static_cast<double>(DecodeE2m1(i % 2 == 0 ? pair : pair >> 4)) *
         DecodeUe8m0(row[dim / 2 + i / 32]);
}

// The exact score of a row, and how far fp32 sums may be from it. The sum of a block is exact; each
// block's comes to the dot product with one rounding, so that the first are rounded at most
// dim / 32 times; each head is added with one rounding. Where two scales multiply to less than
// 2^-126, the block counts nothing.
std::pair<double, double> ExactScore(const Token& token, size_t r) {
  const size_t bytes = IndexKeyBytes(token.dim), blocks = token.dim / 32;
  const uint8_t* key = token.keys.data() + 1 + r * bytes;
  double score = 0, magnitude = 0, flushed = 0;
  for (size_t h = 0; h < token.heads; ++h) {
    const uint8_t* query = token.queries.data() + 1 + h * bytes;
    double dot = 0, blocks_magnitude = 0;
    for (size_t b = 0; b < blocks; ++b) {
      double block = 0;
      for (size_t i = 32 * b; i < 32 * (b + 1); ++i) {
        block += Element(query, token.dim, i) * Element(key, token.dim, i);
      }
      dot += block;
      blocks_magnitude += std::fabs(block);
    }
    score += std::max(dot, 0.0) * token.w[h];
    magnitude += blocks_magnitude * std::fabs(token.w[h]);
    flushed += static_cast<double>(blocks) * 32 * 36 * 0x1p-125 * std::fabs(token.w[h]);
  }
  return {score, static_cast<double>(blocks + token.heads) * kHalfUlp * magnitude + flushed};
}

void ExpectWithinBounds(const Kernels& kernels, const Token& token) {
  const std::vector<float> scores = Scores(kernels, token, {0, token.rows});
  for (size_t r = 0; r < token.rows; ++r) {
    const auto [exact, bound] = ExactScore(token, r);
    ASSERT_NEAR(scores[r], exact, bound) << "row " << r << " of " << token.rows << ", "
                                         << token.heads << " heads, " << token.dim << " channels";
  }
}

TEST_P(IndexScoreTest, RaggedShapes) {
  const size_t shapes[][3] = {{1, 32, 1},     {2, 64, 3},     {3, 96, 17},
                              {4, 128, 31},   {5, 160, 33},   {7, 224, 5},
                              {32, 128, 200}, {33, 1024, 40}, {600, 32, 9}};
  for (const auto& [heads, dim, rows] : shapes) {
    ExpectWithinBounds(Fast(), RandomToken(heads, dim, rows));
  }
}

TEST_P(IndexScoreTest, ScoresOfOneBlockAndOneHeadAreExact) {
  Token token = RandomToken(1, 32, 500);
  token.w = {0.5f};
  EXPECT_EQ(Scores(Fast(), token, {0, 500}), Scores(Truth(), token, {0, 500}));
}

TEST_P(IndexScoreTest, AScoreDoesNotDependOnTheRange) {
  const Token token = RandomToken(6, 128, 150);
  const std::vector<float> whole = Scores(Fast(), token, {0, token.rows});
  for (const Range range : {Range{0, 1}, Range{1, 2}, Range{3, 40}, Range{31, 97}, Range{149, 150},
                            Range{64, 128}, Range{7, 7}}) {
    const std::vector<float> part = Scores(Fast(), token, range);
    for (size_t r = 0; r < part.size(); ++r) {
      const bool inside = r >= range.begin && r < range.end;
      ASSERT_EQ(part[r], inside ? whole[r] : kUntouched)
          << "row " << r << " in " << range.begin << ".." << range.end;
    }
  }
}

TEST_P(IndexScoreTest, AScoreDoesNotDependOnWhereItsKeyLies) {
  const Token token = RandomToken(6, 96, 150);
  const std::vector<float> whole = Scores(Fast(), token, {0, token.rows});
  std::vector<size_t> order;
  std::vector<const uint8_t*> keys;
  for (size_t i = 0; i < 77; ++i) {
    order.push_back(i * 31 % token.rows);
    keys.push_back(token.keys.data() + 1 + order.back() * IndexKeyBytes(token.dim));
  }
  std::vector<float> scores(keys.size());
  Fast().index_scores(token.queries.data() + 1, token.w.data(), token.heads, token.dim, keys,
                      scores.data());
  for (size_t i = 0; i < keys.size(); ++i) EXPECT_EQ(scores[i], whole[order[i]]) << i;
}

TEST_P(IndexScoreTest, LargestCodesZeroesAndSumsThatCancel) {
  constexpr size_t kDim = 128, kRows = 40;
  Token token = RandomToken(4, kDim, kRows, 0, 1);
  for (size_t r = 0; r < kRows; ++r) {
    uint8_t* key = token.keys.data() + 1 + r * IndexKeyBytes(kDim);
    const uint8_t pairs[] = {0x77, 0xFF, 0x7F, 0xF7, 0x00, 0x88, 0x08, 0x11};
    std::fill_n(key, kDim / 2, pairs[r % 8]);
    if (r >= 8) key[kDim / 2 + r % 4] = 140;  // one block much larger than the others
    if (r >= 16 && r < 24) std::fill_n(key, kDim / 4, pairs[(r + 1) % 8]);
  }
  const uint8_t query_pairs[] = {0x77, 0xFF, 0x7F, 0x11};
  for (size_t h = 0; h < 4; ++h) {
    std::fill_n(token.queries.data() + 1 + h * IndexKeyBytes(kDim), kDim / 2, query_pairs[h]);
  }
  token.w = {1, -1, 0, 3};
  ExpectWithinBounds(Fast(), token);
}

TEST_P(IndexScoreTest, ScalesOfAllSizes) {
  ExpectWithinBounds(Fast(), RandomToken(5, 128, 100, -126, 150));  // products may underflow
  ExpectWithinBounds(Fast(), RandomToken(5, 128, 100, -20, 70));
}

CEDAR_FOR_EACH_ISA(IndexScoreTest);

}  // namespace
}  // namespace cedar::simd
