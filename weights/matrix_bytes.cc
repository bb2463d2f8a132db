#include "weights/matrix_bytes.h"

#include "simd/error.h"
#include "simd/formats.h"

namespace cedar {

size_t RowBytes(Format format, size_t cols) {
  switch (format) {
    case Format::kF32:
      return cols * sizeof(float);
    case Format::kBf16:
      return cols * sizeof(Bf16);
    case Format::kFp8:
      return cols;
    case Format::kFp4:
      return cols / 2;
  }
  CEDAR_CHECK(!"a format");
  return 0;
}

size_t ScaleRows(Format format, size_t rows) {
  if (format == Format::kFp8) return (rows + kScaleBlock - 1) / kScaleBlock;
  return format == Format::kFp4 ? rows : 0;
}

size_t ScaleCols(Format format, size_t cols) {
  return format == Format::kFp8 || format == Format::kFp4 ? cols / kScaleBlock : 0;
}

size_t ScaleBytes(const WeightMatrix& matrix) {
  return ScaleRows(matrix.format, matrix.rows) * ScaleCols(matrix.format, matrix.cols);
}

size_t MatrixBytes(const WeightMatrix& matrix) {
  return matrix.rows * RowBytes(matrix.format, matrix.cols) + ScaleBytes(matrix);
}

WeightMatrix RowsOf(const WeightMatrix& matrix, Range rows) {
  CEDAR_CHECK(matrix.parts.empty());
  CEDAR_CHECK(matrix.format != Format::kFp8 || rows.begin % kScaleBlock == 0);
  WeightMatrix part = matrix;
  part.rows = rows.size();
  if (matrix.data == nullptr) return part;
  part.data += rows.begin * RowBytes(matrix.format, matrix.cols);
  if (matrix.scales != nullptr) {
    part.scales += ScaleRows(matrix.format, rows.begin) * ScaleCols(matrix.format, matrix.cols);
  }
  return part;
}

MatrixPart PartWith(const WeightMatrix& matrix, size_t row) {
  for (const MatrixPart& part : matrix.parts) {
    if (row < part.rows.end) return part;
  }
  return {{0, matrix.rows}, matrix.data, matrix.scales};
}

WeightMatrix MatrixOf(const WeightMatrix& matrix, const MatrixPart& part) {
  return {matrix.format, part.rows.size(), matrix.cols, part.data, part.scales};
}

}  // namespace cedar
