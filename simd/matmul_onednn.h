#ifndef CEDAR_SIMD_MATMUL_ONEDNN_H_
#define CEDAR_SIMD_MATMUL_ONEDNN_H_

// Matrix products by oneDNN's brgemm ukernel, for CPUs whose matrix unit (AMX) we have no kernels
// for. Weights are decoded and packed a few rows at a time, as for our own tiles; F32 weights stay
// with our own kernels.
//
// Bits: every call of the ukernel has the same shape, 32 activation rows (some of them padding)
// times 32 weight rows, with K cut in one way, so a row's sums cannot depend on its company.

#include <optional>

#include "simd/isa.h"
#include "simd/kernels.h"

namespace cedar::simd {

// For an ISA that this CPU has; none where oneDNN has no bf16 ukernel for it or is not built in.
std::optional<MatMul> OneDnnMatMul(Isa isa);

// Whether prompt rows take it: on CPUs with AMX.
bool OneDnnIsChosen();

}  // namespace cedar::simd

#endif  // CEDAR_SIMD_MATMUL_ONEDNN_H_
