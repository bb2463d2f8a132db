#include "simd/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/row_stores.cc"
#include <hwy/foreach_target.h>
// After foreach_target.h.
#include <hwy/highway.h>

#include "simd/fill.h"
#include "simd/quantise-inl.h"

// The rows that a sequence keeps: codes first, then their scales (simd/formats.h).

HWY_BEFORE_NAMESPACE();
namespace cedar::simd::HWY_NAMESPACE {

void StoreWindowRow(const Bf16* x, size_t n, uint8_t* row) {
  for (size_t i = 0; i < n; i += kScaleBlock) {
    row[n + i / kScaleBlock] = QuantiseFp8Block(x + i, row + i);
  }
}

void StoreCompressedRow(const Bf16* x, size_t n, uint8_t* row) {
  for (size_t i = 0; i < n; i += kCompressedBlock) {
    row[n / 2 + i / kCompressedBlock] = QuantiseCompressedBlock(x + i, row + i / 2);
  }
}

void StoreIndexKey(const Bf16* x, size_t n, uint8_t* row) {
  for (size_t i = 0; i < n; i += kScaleBlock) {
    row[n / 2 + i / kScaleBlock] = QuantiseIndexBlock(x + i, row + i / 2);
  }
}

}  // namespace cedar::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace cedar::simd {

HWY_EXPORT(StoreWindowRow);
HWY_EXPORT(StoreCompressedRow);
HWY_EXPORT(StoreIndexKey);

void FillRowStores(int64_t target, Kernels* kernels) {
  kernels->store_window_row = CEDAR_KERNEL(StoreWindowRow, target);
  kernels->store_compressed_row = CEDAR_KERNEL(StoreCompressedRow, target);
  kernels->store_index_key = CEDAR_KERNEL(StoreIndexKey, target);
}

}  // namespace cedar::simd

#endif  // HWY_ONCE
