#include "engine/packed_bytes.h"

#include <algorithm>

namespace cedar {

size_t PackedStride(const simd::Kernels& kernels, Format format, size_t cols) {
  constexpr size_t kLine = 64;
  size_t bytes = std::max(kernels.prompt.packed_bytes(format, cols),
                          kernels.generated.packed_bytes(format, cols));
  if (format == Format::kFp4) bytes = std::max(bytes, kernels.integer.packed_bytes(format, cols));
  return (bytes / kLine | 1) * kLine;
}

size_t LargestPackedStride(const simd::Kernels& kernels, size_t cols) {
  size_t bytes = 0;
  for (const Format format : kAllFormats) {
    bytes = std::max(bytes, PackedStride(kernels, format, cols));
  }
  return bytes;
}

size_t PackedInputBytes(const ModelConfig& c, const simd::Kernels& kernels) {
  const auto any = [&](size_t cols) { return LargestPackedStride(kernels, cols); };
  const size_t experts = 2 * any(c.hidden);
  const size_t indexer = PackedStride(kernels, c.projection_format, c.q_rank) + any(c.hidden);
  return std::max({experts, indexer, any(c.q_rank), any(c.o_group_width()),
                   any(c.o_groups * c.o_rank), any(c.head_dim),
                   any(c.engram.columns() * c.engram.head_dim)});
}

}  // namespace cedar
