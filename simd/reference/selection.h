#ifndef CEDAR_SIMD_REFERENCE_SELECTION_H_
#define CEDAR_SIMD_REFERENCE_SELECTION_H_

// Index scores and the choice of rows (model.md, Attention).
// What each function does is said in simd/kernels.h.

#include "simd/kernels.h"

namespace cedar::simd::reference {

void IndexScores(const uint8_t* queries, const float* w, size_t heads, size_t dim,
                 std::span<const uint8_t* const> keys, float* scores);
size_t TopK(const float* scores, size_t n, size_t k, int32_t* out);
void BlockMax(const float* scores, size_t n, size_t block, float* maxima);

}  // namespace cedar::simd::reference

#endif  // CEDAR_SIMD_REFERENCE_SELECTION_H_
