#ifndef CEDAR_SIMD_FILL_H_
#define CEDAR_SIMD_FILL_H_

// How the fast kernels reach their table: each kernel file has one Fill function, which sets its
// entries to the functions compiled for one Highway target. Only kernels.cc calls these.

#include <cstdint>

#include "simd/kernels.h"

namespace cedar::simd {

void FillAttend(int64_t target, Kernels* kernels);
void FillBlockMax(int64_t target, Kernels* kernels);
void FillEngramRows(int64_t target, Kernels* kernels);
void FillIndexScore(int64_t target, Kernels* kernels);
void FillMatMul(int64_t target, Kernels* kernels);
void FillMatMulInt8(int64_t target, Kernels* kernels);
void FillMatMulTiles(int64_t target, Kernels* kernels);
void FillMixDots(int64_t target, Kernels* kernels);
void FillMoeRows(int64_t target, Kernels* kernels);
void FillRowStores(int64_t target, Kernels* kernels);
void FillRows(int64_t target, Kernels* kernels);
void FillStreams(int64_t target, Kernels* kernels);
void FillTopK(int64_t target, Kernels* kernels);

}  // namespace cedar::simd

#endif  // CEDAR_SIMD_FILL_H_
