#ifndef CEDAR_SIMD_REFERENCE_ROWS_H_
#define CEDAR_SIMD_REFERENCE_ROWS_H_

// Norm, rotation, pooling, and the rows that a sequence keeps (model.md, Attention).
// What each function does is said in simd/kernels.h.

#include "simd/kernels.h"

namespace cedar::simd::reference {

void RmsNorm(const Bf16* x, const float* weight, size_t n, double eps, Bf16* out);
void Rope(Bf16* x, size_t count, size_t dim, size_t rope_dim, const float* cos, const float* sin,
          bool inverse);
void StoreWindowRow(const Bf16* x, size_t n, uint8_t* row);
void StoreCompressedRow(const Bf16* x, size_t n, uint8_t* row);
void StoreIndexKey(const Bf16* x, size_t n, uint8_t* row);
void Pool(const float* const* kv, const float* const* gate, size_t ratio, size_t n, Bf16* out);

}  // namespace cedar::simd::reference

#endif  // CEDAR_SIMD_REFERENCE_ROWS_H_
