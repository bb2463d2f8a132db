#ifndef CEDAR_SIMD_REFERENCE_MATMUL_H_
#define CEDAR_SIMD_REFERENCE_MATMUL_H_

// Matrix products (model.md, Number formats).
// What each function does is said in simd/kernels.h.

#include "simd/kernels.h"

namespace cedar::simd::reference {

MatMul ReferenceMatMul();

}  // namespace cedar::simd::reference

#endif  // CEDAR_SIMD_REFERENCE_MATMUL_H_
