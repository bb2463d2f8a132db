#ifndef CEDAR_SIMD_REFERENCE_ATTENTION_H_
#define CEDAR_SIMD_REFERENCE_ATTENTION_H_

// Attention over packed rows (model.md, Attention).
// What each function does is said in simd/kernels.h.

#include "simd/kernels.h"

namespace cedar::simd::reference {

size_t AttendScratchBytes(size_t rows, size_t heads, size_t head_dim);
void Attend(const AttendInput& in, Range heads, uint8_t* scratch, Bf16* out);

}  // namespace cedar::simd::reference

#endif  // CEDAR_SIMD_REFERENCE_ATTENTION_H_
