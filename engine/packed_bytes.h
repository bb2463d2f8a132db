#ifndef CEDAR_ENGINE_PACKED_BYTES_H_
#define CEDAR_ENGINE_PACKED_BYTES_H_

// How much room the packed inputs of matrix products take (engine/linear.h packs them).

#include <cstddef>

#include "simd/kernels.h"
#include "simd/matrix.h"
#include "weights/config.h"

namespace cedar {

// Bytes from one packed row to the next: room for rows of any kind and numerics, and an odd number
// of cache lines. Rows that lie a multiple of 4096 bytes apart would all want the same few places
// of the caches.
size_t PackedStride(const simd::Kernels& kernels, Format format, size_t cols);
size_t LargestPackedStride(const simd::Kernels& kernels, size_t cols);  // of all formats

// Bytes of scratch for what Pack() makes of each row of a step: enough for any single input, for
// the experts' in two formats, and for those of the indexer.
size_t PackedInputBytes(const ModelConfig& config, const simd::Kernels& kernels);

}  // namespace cedar

#endif  // CEDAR_ENGINE_PACKED_BYTES_H_
