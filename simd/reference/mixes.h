#ifndef CEDAR_SIMD_REFERENCE_MIXES_H_
#define CEDAR_SIMD_REFERENCE_MIXES_H_

// Hyper-connections (model.md, Block).
// What each function does is said in simd/kernels.h.

#include "simd/kernels.h"

namespace cedar::simd::reference {

void MixDots(const WeightMatrix& fn, Range range, std::span<const Bf16* const> streams,
             double* dots);
void MixFinish(const MixParameters& p, const double* dots, const Bf16* streams, float* pre,
               float* post, float* comb);
// MixFinish from the mean of the streams' squares: a handful of numbers, so the fast kernels finish
// here too.
void FinishMixes(const MixParameters& p, const double* dots, double mean_of_squares, float* pre,
                 float* post, float* comb);
void Collapse(const Bf16* streams, const float* pre, size_t hc, size_t hidden, Bf16* out);
void Expand(const Bf16* y, const float* post, const float* comb, size_t hc, size_t hidden,
            Bf16* streams);

}  // namespace cedar::simd::reference

#endif  // CEDAR_SIMD_REFERENCE_MIXES_H_
