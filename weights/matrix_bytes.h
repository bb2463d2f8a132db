#ifndef CEDAR_WEIGHTS_MATRIX_BYTES_H_
#define CEDAR_WEIGHTS_MATRIX_BYTES_H_

// How many bytes a weight matrix takes in a checkpoint, and where its rows begin (simd/matrix.h
// says how the formats lie).

#include <cstddef>

#include "simd/matrix.h"

namespace cedar {

// Bytes of one row without its scales; cols is a multiple of 32.
size_t RowBytes(Format format, size_t cols);

// Rows and columns of the scales; none for F32 and BF16.
size_t ScaleRows(Format format, size_t rows);
size_t ScaleCols(Format format, size_t cols);

size_t ScaleBytes(const WeightMatrix& matrix);

// Data and scales.
size_t MatrixBytes(const WeightMatrix& matrix);

// Some rows of a matrix that is not divided. Those of an FP8 one must begin at a multiple of 32,
// where a row of scales does.
WeightMatrix RowsOf(const WeightMatrix& matrix, Range rows);

// The part of a matrix that row `row` lies in: all of it if it is not divided.
MatrixPart PartWith(const WeightMatrix& matrix, size_t row);

// A part as a matrix of its own.
WeightMatrix MatrixOf(const WeightMatrix& matrix, const MatrixPart& part);

}  // namespace cedar

#endif  // CEDAR_WEIGHTS_MATRIX_BYTES_H_
