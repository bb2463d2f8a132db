#ifndef CEDAR_WEIGHTS_RELEASED_LAYOUT_H_
#define CEDAR_WEIGHTS_RELEASED_LAYOUT_H_

// Weights without data: what a model would have, were it stored as the release is. For planning by
// a config.json alone.

#include <string>
#include <vector>

#include "weights/tensor_source.h"

namespace cedar {

class ReleasedLayout : public TensorSource {
 public:
  WeightMatrix Matrix(const std::string& name, size_t rows, size_t cols, Format released,
                      Storage storage) override;
  std::vector<float> Floats(const std::string& name, const std::vector<size_t>& shape) override;
  EngramTable Table(const std::string& name, size_t rows, size_t head_dim) override;
};

}  // namespace cedar

#endif  // CEDAR_WEIGHTS_RELEASED_LAYOUT_H_
