#ifndef CEDAR_SIMD_REFERENCE_MOE_H_
#define CEDAR_SIMD_REFERENCE_MOE_H_

// Router and experts (model.md, MoE, engram).
// What each function does is said in simd/kernels.h.

#include "simd/kernels.h"

namespace cedar::simd::reference {

void Route(const RouteParameters& p, const float* logits, int32_t* ids, float* weights);
void Swiglu(const Bf16* gate, const Bf16* up, size_t n, float limit, const float* weight,
            Bf16* out);
void SumRows(const Bf16* const* parts, size_t count, size_t n, Bf16* out);

}  // namespace cedar::simd::reference

#endif  // CEDAR_SIMD_REFERENCE_MOE_H_
