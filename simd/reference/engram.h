#ifndef CEDAR_SIMD_REFERENCE_ENGRAM_H_
#define CEDAR_SIMD_REFERENCE_ENGRAM_H_

// Engram rows and their gates (model.md, MoE, engram).
// What each function does is said in simd/kernels.h.

#include "simd/kernels.h"

namespace cedar::simd::reference {

void DecodeEngramRow(const uint8_t* codes, const uint8_t* scales, size_t n, Bf16* out);
void EngramGate(const Bf16* kv, const double* qk_weight, size_t hc, size_t hidden, double eps,
                Bf16* streams);

}  // namespace cedar::simd::reference

#endif  // CEDAR_SIMD_REFERENCE_ENGRAM_H_
