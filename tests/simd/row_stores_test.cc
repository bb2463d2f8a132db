#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "tests/simd/hard_rows.h"
#include "tests/simd/isa_cases.h"

// The quantisers do the oracle's operations, each exact or one fp32 rounding, so every byte that
// they store is the reference's. Nothing here has a tolerance.

namespace cedar::simd {
namespace {

using RowStoresTest = IsaCase;

struct Store {
  const char* name;
  void (*Kernels::*kernel)(const Bf16* x, size_t n, uint8_t* row);
  size_t (*bytes)(size_t channels);
};
const Store kStores[] = {
    {"window row", &Kernels::store_window_row, WindowRowBytes},
    {"compressed row", &Kernels::store_compressed_row, CompressedRowBytes},
    {"index key", &Kernels::store_index_key, IndexKeyBytes},
};

// What is stored for x[0..n), in a buffer that begins `offset` bytes off and is longer by a few
// bytes, which must stay as they were.
std::vector<uint8_t> Stored(const Kernels& kernels, const Store& store, const Bf16* x, size_t n,
                            size_t offset = 0) {
  const size_t bytes = store.bytes(n);
  std::vector<uint8_t> buffer(offset + bytes + 64, 0xA5);
  (kernels.*store.kernel)(x, n, buffer.data() + offset);
  EXPECT_TRUE(std::all_of(buffer.begin() + offset + bytes, buffer.end(),
                          [](uint8_t b) { return b == 0xA5; }))
      << store.name << " of " << n << " channels writes behind its end";
  return {buffer.begin() + offset, buffer.begin() + offset + bytes};
}

// Says where the first difference is, of rows too long to print.
void ExpectSameBytes(const Kernels& fast, const Kernels& truth, const Row& x) {
  ASSERT_EQ(x.size() % kScaleBlock, 0u);
  for (const Store& store : kStores) {
    const auto got = Stored(fast, store, x.data(), x.size());
    const auto expected = Stored(truth, store, x.data(), x.size());
    const auto [a, b] = std::mismatch(got.begin(), got.end(), expected.begin());
    EXPECT_TRUE(a == got.end()) << store.name << ": byte " << a - got.begin() << " is " << int{*a}
                                << ", the reference has " << int{*b};
  }
}

void PadToBlocks(Row* x) { x->resize((x->size() + kScaleBlock - 1) / kScaleBlock * kScaleBlock); }

// Every finite bf16 is the largest of a block once, the others up to 12 binades below it.
TEST_P(RowStoresTest, EveryLargestMagnitude) {
  std::mt19937 random(1);
  Row x;
  for (int largest = 0; largest < 0x7F80; ++largest) {
    for (size_t i = 0; i < kScaleBlock; ++i) {
      const int below = i % 16 == 5 ? 0 : static_cast<int>(random() % (12 << 7));
      const int sign = static_cast<int>(random() % 2) << 15;
      x.push_back(Bf16{static_cast<uint16_t>(sign | std::max(largest - below, 0))});
    }
  }
  ExpectSameBytes(Fast(), Truth(), x);
}

// Blocks of 16 that start with scale * largest, which makes `scale` their scale, and go on with
// scale * each midpoint of two neighbouring values, and the bf16 on both sides of it.
void AppendTies(const std::vector<float>& values, float scale, Row* x) {
  std::vector<Bf16> candidates;
  for (size_t i = 0; i + 1 < values.size(); ++i) {
    const Bf16 tie = RoundToBf16((values[i] + values[i + 1]) / 2 * scale);
    for (int step : {-1, 0, 1}) {
      const uint16_t bits = static_cast<uint16_t>(std::max(tie.bits + step, 0));
      candidates.push_back(Bf16{bits});
      candidates.push_back(Bf16{static_cast<uint16_t>(bits | 0x8000)});
    }
  }
  while (candidates.size() % 15 != 0) candidates.push_back(Bf16{0x8000});
  for (size_t i = 0; i < candidates.size(); ++i) {
    if (i % 15 == 0) x->push_back(RoundToBf16(scale * values.back()));
    x->push_back(candidates[i]);
  }
}

TEST_P(RowStoresTest, TiesOfFp8) {
  std::vector<float> values;
  for (int code = 0; code < 0x7F; ++code) values.push_back(DecodeE4m3(static_cast<uint8_t>(code)));
  Row x;
  for (int exponent : {-22, -21, -9, -1, 0, 1, 40, 119}) {
    AppendTies(values, std::ldexp(1.0f, exponent), &x);
  }
  PadToBlocks(&x);
  ExpectSameBytes(Fast(), Truth(), x);
}

TEST_P(RowStoresTest, TiesOfFp4) {
  const std::vector<float> values = {0, .5, 1, 1.5, 2, 3, 4, 6};
  Row x;
  for (int exponent = -126; exponent < 126; ++exponent) {
    AppendTies(values, std::ldexp(1.0f, exponent), &x);
  }
  for (int code = 1; code < 0x7F; ++code) {  // every scale of a compressed row
    AppendTies(values, DecodeE4m3(static_cast<uint8_t>(code)), &x);
  }
  PadToBlocks(&x);
  ExpectSameBytes(Fast(), Truth(), x);
}

TEST_P(RowStoresTest, ZerosSubnormalsAndTheLargest) {
  for (float value : {0.0f, -0.0f, 0x1p-133f, -0x1p-127f, 0x1p-126f, 1e-4f, 0x1.FEp127f}) {
    ExpectSameBytes(Fast(), Truth(), ConstantRow(64, value));
    Row alternating = ConstantRow(64, value);
    for (size_t i = 0; i < alternating.size(); i += 3) alternating[i].bits ^= 0x8000;
    ExpectSameBytes(Fast(), Truth(), alternating);
    alternating[7] = RoundToBf16(1000);
    ExpectSameBytes(Fast(), Truth(), alternating);
  }
}

TEST_P(RowStoresTest, AnyLengthAndAlignment) {
  std::mt19937 random(2);
  const Row x = NormalRow(random, 1100);
  for (size_t n : {32, 64, 96, 160, 512, 1024}) {
    for (size_t offset : {0, 1, 3, 17}) {
      for (const Store& store : kStores) {
        EXPECT_EQ(Stored(Fast(), store, x.data() + offset, n, offset),
                  Stored(Truth(), store, x.data() + offset, n))
            << store.name << " of " << n << " channels from " << offset;
      }
    }
  }
}

CEDAR_FOR_EACH_ISA(RowStoresTest);

}  // namespace
}  // namespace cedar::simd
