#ifndef CEDAR_SIMD_MATRIX_H_
#define CEDAR_SIMD_MATRIX_H_

// Views that kernels take. None owns anything; what they point to must outlive the call.

#include <cstddef>
#include <cstdint>
#include <span>

#include "simd/formats.h"

namespace cedar {

// How a weight matrix lies in the checkpoint.
enum class Format : uint8_t {
  kF32,   // rows x cols fp32
  kBf16,  // rows x cols bf16
  kFp8,   // rows x cols E4M3; scales [ceil(rows / 32)][cols / 32] UE8M0
  kFp4,   // rows x cols / 2 E2M1 pairs; scales [rows][cols / 32] UE8M0
};
inline constexpr Format kAllFormats[] = {Format::kF32, Format::kBf16, Format::kFp8, Format::kFp4};

// Half-open range of indices.
struct Range {
  size_t begin = 0;
  size_t end = 0;
  size_t size() const { return end - begin; }
};

// Some rows of a matrix, with their scales; the first one at a multiple of 32.
struct MatrixPart {
  Range rows;
  const uint8_t* data = nullptr;
  const uint8_t* scales = nullptr;
};

// A matrix in the mapping of a shard: row-major, ANY byte alignment (checkpoint.md), so it is read
// by memcpy or unaligned loads only, and nothing beyond its last byte may be touched.
// cols is a multiple of 32; rows is any number.
struct WeightMatrix {
  Format format = Format::kBf16;
  size_t rows = 0;
  size_t cols = 0;
  const uint8_t* data = nullptr;
  const uint8_t* scales = nullptr;  // null for kF32 and kBf16
  // Of a matrix that is divided among the memory of several nodes (simd/nodes.h): the part in each,
  // all rows in order, some parts empty; data and scales are null then. Kernels get single parts
  // (weights/matrix_bytes.h).
  std::span<const MatrixPart> parts{};
};

// Where a matrix product goes: element [i][j] at base + i * stride + j, with i the activation row
// and j the weight row. Exactly one of the two bases is set; bf16 means the fp32 sum is rounded.
struct MatMulOutput {
  float* f32 = nullptr;
  Bf16* bf16 = nullptr;
  size_t stride = 0;  // in elements
};

// What activations become before they meet a weight matrix (model.md, Number formats).
enum class Activation : uint8_t {
  kBf16,  // as they are
  kFp8,   // E4M3 with a UE8M0 scale per 32 channels (its values are exact in bf16)
  kInt8,  // -127..127 with an fp32 scale, amax / 127, per 32 channels (Kernels::integer alone)
};

}  // namespace cedar

#endif  // CEDAR_SIMD_MATRIX_H_
