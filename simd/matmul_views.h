#ifndef CEDAR_SIMD_MATMUL_VIEWS_H_
#define CEDAR_SIMD_MATMUL_VIEWS_H_

// Where the rows of a weight matrix lie, and where its products go.

#include <cstddef>
#include <cstdint>

#include "simd/formats.h"
#include "simd/matrix.h"

namespace cedar::simd {

inline size_t RowBytes(Format format, size_t cols) {
  switch (format) {
    case Format::kF32:
      return cols * 4;
    case Format::kBf16:
      return cols * 2;
    case Format::kFp8:
      return cols;
    case Format::kFp4:
      return cols / 2;
  }
  return 0;
}

inline const uint8_t* WeightRow(const WeightMatrix& w, size_t row) {
  return w.data + row * RowBytes(w.format, w.cols);
}

// The UE8M0 codes of a row, one to 32 columns; for a format without, an address to walk along all
// the same, never read.
inline const uint8_t* ScaleRow(const WeightMatrix& w, size_t row) {
  if (w.scales == nullptr) return w.data;
  return w.scales + (w.format == Format::kFp8 ? row / kScaleBlock : row) * (w.cols / kScaleBlock);
}

inline void Put(const MatMulOutput& y, size_t i, size_t j, float value) {
  if (y.f32 != nullptr) {
    y.f32[i * y.stride + j] = value;
  } else {
    y.bf16[i * y.stride + j] = RoundToBf16(value);
  }
}

}  // namespace cedar::simd

#endif  // CEDAR_SIMD_MATMUL_VIEWS_H_
