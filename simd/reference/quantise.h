#ifndef CEDAR_SIMD_REFERENCE_QUANTISE_H_
#define CEDAR_SIMD_REFERENCE_QUANTISE_H_

// Scales of blocks (model.md, Number formats), and rows of packed FP8 and FP4 back to fp32.

#include "simd/formats.h"

namespace cedar::simd::reference {

float LargestMagnitude(const Bf16* x, size_t n);

// Exponents of the UE8M0 scale of kScaleBlock values whose fp32 largest magnitude is given.
int Fp8ScaleExponent(const Bf16* block);
int Fp4ScaleExponent(const Bf16* block);
// The E4M3 scale of kCompressedBlock values.
float Fp4ScaleE4m3(const Bf16* block);

// Rows as StoreWindowRow and StoreCompressedRow leave them -> out [n].
void DecodeWindowRow(const uint8_t* row, size_t n, float* out);
void DecodeCompressedRow(const uint8_t* row, size_t n, float* out);
void DecodeIndexKey(const uint8_t* row, size_t n, float* out);

// Element i of packed E2M1 pairs.
inline float Fp4Element(const uint8_t* pairs, size_t i) {
  return DecodeE2m1(i % 2 == 0 ? pairs[i / 2] : pairs[i / 2] >> 4);
}

}  // namespace cedar::simd::reference

#endif  // CEDAR_SIMD_REFERENCE_QUANTISE_H_
