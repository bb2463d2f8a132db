#include "weights/released_layout.h"

#include <functional>
#include <numeric>

namespace cedar {

WeightMatrix ReleasedLayout::Matrix(const std::string&, size_t rows, size_t cols, Format released,
                                    Storage) {
  return {released, rows, cols, nullptr, nullptr};
}

std::vector<float> ReleasedLayout::Floats(const std::string&, const std::vector<size_t>& shape) {
  return std::vector<float>(
      std::accumulate(shape.begin(), shape.end(), size_t{1}, std::multiplies<size_t>()));
}

EngramTable ReleasedLayout::Table(const std::string&, size_t rows, size_t head_dim) {
  return {Format::kFp8, rows, head_dim, nullptr, nullptr};
}

}  // namespace cedar
