#include "simd/reference/quantise.h"

#include <algorithm>
#include <cmath>

namespace cedar::simd::reference {

namespace {

// n E2M1 pairs followed by UE8M0 or E4M3 scales of `block` values each.
void DecodeFp4Row(const uint8_t* row, size_t n, size_t block, float (*scale)(uint8_t), float* out) {
  for (size_t i = 0; i < n; ++i) out[i] = Fp4Element(row, i) * scale(row[n / 2 + i / block]);
}

}  // namespace

float LargestMagnitude(const Bf16* x, size_t n) {
  float largest = 0;
  for (size_t i = 0; i < n; ++i) largest = std::max(largest, std::fabs(ToFloat(x[i])));
  return largest;
}

// The products with a reciprocal are fp32 products, as in the published code.
int Fp8ScaleExponent(const Bf16* block) {
  return CeilLog2(std::max(LargestMagnitude(block, kScaleBlock), 1e-4f) * (1 / kFp8Max));
}

int Fp4ScaleExponent(const Bf16* block) {
  const float floor = std::ldexp(kFp4Max, -126);
  return CeilLog2(std::max(LargestMagnitude(block, kScaleBlock), floor) * (1 / kFp4Max));
}

float Fp4ScaleE4m3(const Bf16* block) {
  const float floor = std::ldexp(kFp4Max, -9);
  return DecodeE4m3(
      EncodeE4m3(std::max(LargestMagnitude(block, kCompressedBlock), floor) / kFp4Max));
}

void DecodeWindowRow(const uint8_t* row, size_t n, float* out) {
  const uint8_t* scales = row + n;
  for (size_t i = 0; i < n; ++i) out[i] = DecodeE4m3(row[i]) * DecodeUe8m0(scales[i / kScaleBlock]);
}

void DecodeCompressedRow(const uint8_t* row, size_t n, float* out) {
  DecodeFp4Row(row, n, kCompressedBlock, DecodeE4m3, out);
}

void DecodeIndexKey(const uint8_t* row, size_t n, float* out) {
  DecodeFp4Row(row, n, kScaleBlock, DecodeUe8m0, out);
}

}  // namespace cedar::simd::reference
