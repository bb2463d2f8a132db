#ifndef CEDAR_TESTS_SIMD_MATMUL_CASES_H_
#define CEDAR_TESTS_SIMD_MATMUL_CASES_H_

// Weights, activations and products for the tests of the matrix products.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "simd/kernels.h"
#include "tests/simd/guarded_bytes.h"

namespace cedar::simd {

inline constexpr Format kFormats[] = {Format::kF32, Format::kBf16, Format::kFp8, Format::kFp4};

inline std::string FormatName(Format format) {
  constexpr const char* kNames[] = {"F32", "BF16", "FP8", "FP4"};
  return kNames[static_cast<size_t>(format)];
}

inline std::vector<Bf16> RandomRow(size_t n, std::mt19937& random, float size = 1) {
  std::normal_distribution<float> normal(0, size);
  std::vector<Bf16> row(n);
  for (Bf16& x : row) x = RoundToBf16(normal(random));
  return row;
}

// A weight matrix whose bytes end at an unreadable page, `slack` bytes before it.
struct TestMatrix {
  std::vector<uint8_t> data, scales;
  std::unique_ptr<GuardedBytes> guarded_data, guarded_scales;
  WeightMatrix view;

  void Guard(size_t slack) {
    guarded_data = std::make_unique<GuardedBytes>(data, slack);
    guarded_scales = std::make_unique<GuardedBytes>(scales, slack);
    view.data = guarded_data->data();
    view.scales = scales.empty() ? nullptr : guarded_scales->data();
  }
};

inline void AppendBytes(float value, Format format, std::vector<uint8_t>& bytes) {
  const Bf16 rounded = RoundToBf16(value);
  const auto* p = reinterpret_cast<const uint8_t*>(&value);
  if (format == Format::kF32) bytes.insert(bytes.end(), p, p + 4);
  p = reinterpret_cast<const uint8_t*>(&rounded);
  if (format == Format::kBf16) bytes.insert(bytes.end(), p, p + 2);
}

// Random codes of every value of the format; UE8M0 codes in [low_scale, high_scale].
inline TestMatrix RandomMatrix(Format format, size_t rows, size_t cols, std::mt19937& random,
                               int low_scale = 112, int high_scale = 130, size_t slack = 0) {
  TestMatrix m;
  m.view = {.format = format, .rows = rows, .cols = cols};
  std::normal_distribution<float> normal;
  if (format == Format::kF32 || format == Format::kBf16) {
    for (size_t i = 0; i < rows * cols; ++i) AppendBytes(normal(random), format, m.data);
  } else {
    const bool fp8 = format == Format::kFp8;
    m.data.resize(fp8 ? rows * cols : rows * cols / 2);
    for (uint8_t& code : m.data) {
      do code = static_cast<uint8_t>(random());
      while (fp8 && (code & 0x7F) == 0x7F);  // NaN
    }
    m.scales.resize((fp8 ? (rows + 31) / 32 : rows) * (cols / 32));
    std::uniform_int_distribution<int> scale(low_scale, high_scale);
    for (uint8_t& s : m.scales) s = static_cast<uint8_t>(scale(random));
  }
  m.Guard(slack);
  return m;
}

// Bytes at a multiple of 64.
class AlignedBytes {
 public:
  explicit AlignedBytes(size_t bytes) : bytes_(bytes + 64, 0xA5) {}
  uint8_t* data() {
    return bytes_.data() + (64 - reinterpret_cast<uintptr_t>(bytes_.data()) % 64) % 64;
  }

 private:
  std::vector<uint8_t> bytes_;
};

// Rows of activations, packed for a weight matrix.
class PackedRows {
 public:
  PackedRows(const MatMul& matmul, Format format, Activation activation,
             const std::vector<std::vector<Bf16>>& rows)
      : stride_(matmul.packed_bytes(format, rows[0].size())), bytes_(stride_ * rows.size()) {
    for (size_t i = 0; i < rows.size(); ++i) {
      uint8_t* packed = bytes_.data() + i * stride_;
      matmul.pack(format, activation, rows[i].data(), rows[i].size(), {0, rows[i].size()}, packed);
      pointers_.push_back(packed);
    }
  }
  std::span<const uint8_t* const> pointers() const { return pointers_; }

 private:
  size_t stride_;
  AlignedBytes bytes_;
  std::vector<const uint8_t*> pointers_;
};

// Scratch memory for products, 64-byte aligned, beyond which nobody may write.
inline GuardedBytes GuardedScratch(const MatMul& matmul, const WeightMatrix& w) {
  const size_t bytes = (matmul.scratch_bytes(w.format, w.cols) + 63) / 64 * 64;
  return GuardedBytes(std::vector<uint8_t>(bytes, 0xA5));
}

// All products [rows of x][rows of w] in fp32.
inline std::vector<float> Multiply(const MatMul& matmul, const WeightMatrix& w,
                                   Activation activation, const std::vector<std::vector<Bf16>>& x) {
  const PackedRows packed(matmul, w.format, activation, x);
  GuardedBytes scratch = GuardedScratch(matmul, w);
  std::vector<float> y(x.size() * w.rows, NAN);
  matmul.multiply(w, {0, w.rows}, packed.pointers(), {.f32 = y.data(), .stride = w.rows},
                  scratch.data());
  return y;
}

using Rows = std::vector<std::vector<Bf16>>;

inline Rows RandomRows(size_t count, size_t cols, std::mt19937& random) {
  Rows rows;
  for (size_t i = 0; i < count; ++i) rows.push_back(RandomRow(cols, random));
  return rows;
}

// Rows of 32 with `largest` and with every bf16 of either sign in so many binades below it; what
// lies lower is rounded to zero.
inline Rows BlocksBelow(Bf16 largest, int binades) {
  Rows rows;
  const int lowest = std::max(0, largest.bits - binades * 128);
  for (int bits = largest.bits; bits > lowest;) {
    std::vector<Bf16> row = {largest};
    for (; row.size() < 32; --bits) {
      row.push_back(Bf16{static_cast<uint16_t>(std::max(bits, 0) | (bits % 3 == 0 ? 0x8000 : 0))});
    }
    rows.push_back(row);
  }
  return rows;
}

// The same rows without signs.
inline Rows Magnitudes(Rows rows) {
  for (auto& row : rows) {
    for (Bf16& x : row) x.bits &= 0x7FFF;
  }
  return rows;
}

// The same matrix without signs.
inline TestMatrix Magnitudes(const TestMatrix& m) {
  TestMatrix result;
  result.view = m.view;
  result.data = m.data;
  result.scales = m.scales;
  for (size_t i = 0; i < result.data.size(); ++i) {
    const bool has_sign = m.view.format == Format::kF32    ? i % 4 == 3
                          : m.view.format == Format::kBf16 ? i % 2 == 1
                                                           : true;
    if (has_sign) result.data[i] &= m.view.format == Format::kFp4 ? 0x77 : 0x7F;
  }
  result.Guard(0);
  return result;
}

}  // namespace cedar::simd

#endif  // CEDAR_TESTS_SIMD_MATMUL_CASES_H_
