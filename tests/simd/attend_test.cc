#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "tests/simd/hard_rows.h"
#include "tests/simd/isa_cases.h"

namespace cedar::simd {
namespace {

using AttendTest = IsaCase;

constexpr double kHalfUlp = 0x1p-24;   // of fp32, relative
constexpr double kFlushed = 0x1p-126;  // what an fp32 or bf16 operation may flush to zero

// A token's queries and rows, each row at an address of its own, seldom an aligned one.
struct Token {
  size_t heads, dim;
  Row q;
  std::vector<float> sink;
  std::vector<std::vector<uint8_t>> window, selected;

  std::vector<const uint8_t*> Pointers(const std::vector<std::vector<uint8_t>>& rows) const {
    std::vector<const uint8_t*> pointers;
    for (const auto& row : rows) pointers.push_back(row.data() + 1);
    return pointers;
  }
};

// Adds a byte in front of a stored row, so that it is misaligned.
std::vector<uint8_t> Stored(void (*store)(const Bf16*, size_t, uint8_t*), const Row& x,
                            size_t bytes) {
  std::vector<uint8_t> row(1 + bytes);
  store(x.data(), x.size(), row.data() + 1);
  return row;
}

void AddWindowRow(Token* token, const Row& x) {
  const Kernels& k = KernelsFor(Isa::kReference);
  token->window.push_back(Stored(k.store_window_row, x, WindowRowBytes(token->dim)));
}
void AddSelectedRow(Token* token, const Row& x) {
  const Kernels& k = KernelsFor(Isa::kReference);
  token->selected.push_back(Stored(k.store_compressed_row, x, CompressedRowBytes(token->dim)));
}

Token RandomToken(size_t heads, size_t dim, size_t window, size_t selected, unsigned seed = 1) {
  std::mt19937 random(seed);
  Token token = {heads, dim, NormalRow(random, heads * dim), NormalFloats(random, heads), {}, {}};
  for (size_t i = 0; i < window; ++i) AddWindowRow(&token, NormalRow(random, dim));
  for (size_t i = 0; i < selected; ++i) AddSelectedRow(&token, NormalRow(random, dim));
  return token;
}

// Heads outside of the range keep this.
const Bf16 kUntouched = RoundToBf16(-77);

Row Attend(const Kernels& kernels, const Token& token, Range heads) {
  const auto window = token.Pointers(token.window), selected = token.Pointers(token.selected);
  const AttendInput in = {token.q.data(), token.heads, token.dim,
                          window,         selected,    token.sink.data()};
  const size_t rows = window.size() + selected.size();
  const size_t bytes = kernels.attend_scratch_bytes(rows, token.heads, token.dim);
  std::vector<uint8_t> buffer(64 + bytes + 64, 0xA5);
  uint8_t* scratch = buffer.data() + (64 - reinterpret_cast<uintptr_t>(buffer.data()) % 64) % 64;
  Row out(token.q.size(), kUntouched);
  kernels.attend(in, heads, scratch, out.data());
  EXPECT_TRUE(std::all_of(scratch + bytes, buffer.data() + buffer.size(), [](uint8_t b) {
    return b == 0xA5;
  })) << "writes behind its scratch";
  return out;
}

std::vector<std::vector<double>> DecodedRows(const Token& token) {
  std::vector<std::vector<double>> rows;
  for (const uint8_t* row : token.Pointers(token.window)) {
    std::vector<double>& values = rows.emplace_back(token.dim);
    for (size_t i = 0; i < token.dim; ++i) {
      values[i] = static_cast<double>(DecodeE4m3(row[i])) * DecodeUe8m0(row[token.dim + i / 32]);
    }
  }
  for (const uint8_t* row : token.Pointers(token.selected)) {
    std::vector<double>& values = rows.emplace_back(token.dim);
    for (size_t i = 0; i < token.dim; ++i) {
      const uint8_t pair = row[i / 2];
      values[i] = static_cast<double>(DecodeE2m1(i % 2 == 0 ? pair : pair >> 4)) *
                  DecodeE4m3(row[token.dim / 2 + i / 16]);
    }
  }
  return rows;
}

// How far fp32 arithmetic may be from the exact output of head h, before the rounding to bf16.
//
// A score is a sum of dim products, each fused: at most dim roundings, each of at most half an ulp
// of sum |q k|; then two more roundings (the sum's own and the scale's), which the reference has
// too. Subtracting the largest score rounds once more, exp is good to an ulp. So a weight is off by
// a factor of exp(error of its score and of the largest) or so; the weighed sum and the total add a
// rounding for each row, the quotient one.
std::vector<double> OutputBounds(const Token& token, size_t h,
                                 const std::vector<std::vector<double>>& rows) {
  const size_t n = rows.size(), dim = token.dim;
  const double scale = std::pow(static_cast<double>(dim), -0.5);
  std::vector<double> score(n), error(n);
  double top = token.sink[h], largest_error = 0;
  for (size_t r = 0; r < n; ++r) {
    double magnitude = 0, flushed = 0;
    for (size_t c = 0; c < dim; ++c) {
      const double q = ToFloat(token.q[h * dim + c]), k = rows[r][c];
      score[r] += q * k * scale;
      magnitude += std::fabs(q * k);
      flushed += kFlushed * (1 + std::fabs(q) + std::fabs(k));
    }
    error[r] = 2 * (dim + 2) * kHalfUlp * magnitude * scale + flushed;
    top = std::max(top, score[r]);
    largest_error = std::max(largest_error, error[r]);
  }
  double total = std::exp(token.sink[h] - top), total_error = n * kFlushed;
  std::vector<double> weight(n), weight_error(n);
  for (size_t r = 0; r < n; ++r) {
    weight[r] = std::exp(score[r] - top);
    const double exponent = error[r] + largest_error + kHalfUlp * (top - score[r]) + 4 * kHalfUlp;
    weight_error[r] = weight[r] * std::expm1(exponent) + kFlushed;
    total += weight[r];
    total_error += weight_error[r];
  }
  const double common = total_error / total + (2 * n + 4) * kHalfUlp;
  std::vector<double> bounds(dim);
  for (size_t r = 0; r < n; ++r) {
    for (size_t c = 0; c < dim; ++c) {
      bounds[c] +=
          (weight_error[r] + weight[r] * common) * std::fabs(rows[r][c]) / total + kFlushed;
    }
  }
  return bounds;
}

// Values whose exact ones are at most `bound` apart may be rounded to bf16 one step further.
void ExpectWithinBounds(const Kernels& fast, const Kernels& truth, const Token& token) {
  const Row got = Attend(fast, token, {0, token.heads});
  const Row expected = Attend(truth, token, {0, token.heads});
  const auto rows = DecodedRows(token);
  for (size_t h = 0; h < token.heads; ++h) {
    const std::vector<double> bounds = OutputBounds(token, h, rows);
    for (size_t c = 0; c < token.dim; ++c) {
      const double a = ToFloat(got[h * token.dim + c]), b = ToFloat(expected[h * token.dim + c]);
      const double step = a == b ? 0 : Bf16Step(std::max(std::fabs(a), std::fabs(b)));
      ASSERT_LE(std::fabs(a - b), bounds[c] + step)
          << "head " << h << " of " << token.heads << ", channel " << c << " of " << token.dim
          << ", " << rows.size() << " rows: " << a << ", the reference has " << b;
    }
  }
}

TEST_P(AttendTest, RaggedShapes) {
  const size_t shapes[][4] = {{1, 32, 1, 0},  {3, 64, 1, 5},      {4, 32, 2, 2},  {5, 96, 7, 2},
                              {8, 128, 4, 0}, {17, 160, 31, 33},  {33, 32, 3, 1}, {2, 288, 5, 9},
                              {9, 544, 6, 3}, {64, 512, 128, 512}};
  for (const auto& [heads, dim, window, selected] : shapes) {
    ExpectWithinBounds(Fast(), Truth(), RandomToken(heads, dim, window, selected));
  }
}

TEST_P(AttendTest, NearlyAllOutputsAreTheReferences) {
  const Token token = RandomToken(16, 512, 128, 128);
  const Row got = Attend(Fast(), token, {0, 16}), expected = Attend(Truth(), token, {0, 16});
  size_t equal = 0;
  for (size_t i = 0; i < got.size(); ++i) equal += got[i].bits == expected[i].bits;
  EXPECT_GE(equal, got.size() * 995 / 1000);  // the project's bar for attention as a whole
}

TEST_P(AttendTest, AHeadDoesNotDependOnTheRange) {
  const Token token = RandomToken(37, 96, 9, 14);
  const Row whole = Attend(Fast(), token, {0, token.heads});
  for (const Range range : {Range{0, 1}, Range{1, 2}, Range{3, 8}, Range{5, 37}, Range{36, 37},
                            Range{0, 33}, Range{16, 32}}) {
    const Row part = Attend(Fast(), token, range);
    for (size_t i = 0; i < part.size(); ++i) {
      const size_t head = i / token.dim;
      const bool inside = head >= range.begin && head < range.end;
      ASSERT_EQ(part[i].bits, inside ? whole[i].bits : kUntouched.bits)
          << "head " << head << " in " << range.begin << ".." << range.end;
    }
  }
}

TEST_P(AttendTest, HardRows) {
  constexpr size_t kDim = 64;
  std::mt19937 random(3);
  Token token = {12, kDim, NormalRow(random, 12 * kDim), NormalFloats(random, 12), {}, {}};
  token.sink = {0, -1e30f, 1e4f, -300, 80, 0x1p-140f, 0, 0, 1, 2, 3, 4};
  for (size_t c = 0; c < kDim; ++c) {
    token.q[c] = RoundToBf16(0);
    token.q[4 * kDim + c] = RoundToBf16(0x1p-130f * static_cast<float>(c));  // subnormal
    token.q[5 * kDim + c] = RoundToBf16(c == 9 ? 3e4f : 1e-3f);              // one row takes all
    token.q[6 * kDim + c] = RoundToBf16(c % 2 == 0 ? 200.0f : -200.0f);      // sums that cancel
  }
  const Row one = NormalRow(random, kDim);
  Row negative = one;
  for (Bf16& v : negative) v.bits ^= 0x8000;
  for (const Row& x : {ConstantRow(kDim, 0), ConstantRow(kDim, 1), one, negative,
                       WideRow(random, kDim, -140, -100), WideRow(random, kDim, -20, 5)}) {
    AddWindowRow(&token, x);
    AddSelectedRow(&token, x);
  }
  ExpectWithinBounds(Fast(), Truth(), token);
}

TEST_P(AttendTest, AllCodesOfBothFormats) {
  constexpr size_t kDim = 256;
  std::mt19937 random(4);
  Token token = {3, kDim, NormalRow(random, 3 * kDim, 0.01f), {0, 0, 0}, {}, {}};
  for (size_t shift = 0; shift < 8; ++shift) {
    std::vector<uint8_t> window(1 + WindowRowBytes(kDim)), selected(1 + CompressedRowBytes(kDim));
    for (size_t i = 0; i < kDim; ++i) {
      window[1 + i] = static_cast<uint8_t>((i & 0x7F) == 0x7F ? 0 : i);
      selected[1 + i / 2] = static_cast<uint8_t>(i / 2 + shift);
    }
    for (size_t i = 0; i < kDim / 32; ++i) {
      window[1 + kDim + i] = static_cast<uint8_t>(i == shift ? 0 : 100 + 4 * shift - i);
    }
    for (size_t i = 0; i < kDim / 16; ++i) {
      selected[1 + kDim / 2 + i] = static_cast<uint8_t>((i + 16 * shift) % 0x7F);
    }
    token.window.push_back(window);
    token.selected.push_back(selected);
  }
  ExpectWithinBounds(Fast(), Truth(), token);
}

CEDAR_FOR_EACH_ISA(AttendTest);

}  // namespace
}  // namespace cedar::simd
