#ifndef CEDAR_SIMD_REFERENCE_TABLE_H_
#define CEDAR_SIMD_REFERENCE_TABLE_H_

// The reference ISA: plain scalar code in double precision that rounds exactly where the oracle
// rounds (model.md, Rounding points). It is the truth that the fast kernels are tested against.

#include "simd/kernels.h"

namespace cedar::simd::reference {

const Kernels& Table();

}  // namespace cedar::simd::reference

#endif  // CEDAR_SIMD_REFERENCE_TABLE_H_
