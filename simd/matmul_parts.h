#ifndef CEDAR_SIMD_MATMUL_PARTS_H_
#define CEDAR_SIMD_MATMUL_PARTS_H_

// What matmul_tiles.cc lends to other implementations of matrix products.

#include <cstddef>
#include <cstdint>

#include "simd/kernels.h"

namespace cedar::simd {

struct MatMulParts {
  MatMul tiles;  // our own products for prompt rows

  // Weight rows [row, row + rows) with their scales -> bf16 [rows][Bf16Columns()], in an order of
  // channels of its own; pack_bf16 packs activations in the same order. Both fill up what is beyond
  // the columns with zeros. Not for kF32.
  void (*decode_bf16)(const WeightMatrix& w, size_t row, size_t rows, uint16_t* out);
  void (*pack_bf16)(Format weights, Activation activation, const Bf16* x, size_t cols, Range part,
                    uint8_t* packed);
};

inline size_t Bf16Columns(size_t cols) { return (cols + 127) / 128 * 128; }

// For one Highway target that this CPU has.
MatMulParts MatMulPartsFor(int64_t target);

}  // namespace cedar::simd

#endif  // CEDAR_SIMD_MATMUL_PARTS_H_
