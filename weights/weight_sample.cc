#include "weights/weight_sample.h"

#include <algorithm>
#include <map>

#include "weights/matrix_bytes.h"
#include "weights/weight_walk.h"

namespace cedar {
namespace {

using Parts = std::vector<std::span<const uint8_t>>;

struct NodeParts {
  bool with_scales = false;
  std::map<size_t, Parts> nodes{};
};

void Add(const WeightMatrix& matrix, NodeParts& parts) {
  const size_t row_bytes = RowBytes(matrix.format, matrix.cols);
  if (matrix.data != nullptr) parts.nodes[0].emplace_back(matrix.data, matrix.rows * row_bytes);
  if (matrix.scales != nullptr && parts.with_scales) {
    parts.nodes[0].emplace_back(matrix.scales, ScaleBytes(matrix));
  }
  for (size_t node = 0; node < matrix.parts.size(); ++node) {
    const MatrixPart& part = matrix.parts[node];
    if (part.data != nullptr)
      parts.nodes[node].emplace_back(part.data, part.rows.size() * row_bytes);
  }
}

size_t TotalBytes(const Parts& parts) {
  size_t bytes = 0;
  for (const std::span<const uint8_t> part : parts) bytes += part.size();
  return bytes;
}

// By node and address.
Parts PartsOf(const ModelWeights& weights, bool with_scales) {
  NodeParts found{with_scales};
  ForEachMatrix(weights, [&](WeightRole role, const WeightMatrix& matrix) {
    if (role != WeightRole::kEmbedding) Add(matrix, found);
  });
  Parts all;
  for (auto& [node, parts] : found.nodes) {
    std::ranges::sort(parts, {}, [](std::span<const uint8_t> part) { return part.data(); });
    all.insert(all.end(), parts.begin(), parts.end());
  }
  return all;
}

}  // namespace

std::vector<std::span<const uint8_t>> PlacesOfLayers(const ModelWeights& weights) {
  return PartsOf(weights, /*with_scales=*/true);
}

std::vector<std::span<const uint8_t>> SampleWeights(const ModelWeights& weights, size_t bytes) {
  const Parts all = PartsOf(weights, /*with_scales=*/false);
  const size_t total = TotalBytes(all);
  if (total <= bytes) return all;
  // A part is taken whenever what was taken has fallen behind its share of what was passed.
  Parts sample;
  double passed = 0, taken = 0;
  const double share = static_cast<double>(bytes) / static_cast<double>(total);
  for (const std::span<const uint8_t> part : all) {
    passed += static_cast<double>(part.size());
    if (taken >= passed * share) continue;
    taken += static_cast<double>(part.size());
    sample.push_back(part);
  }
  return sample;
}

}  // namespace cedar
