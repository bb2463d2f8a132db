#ifndef CEDAR_WEIGHTS_TENSOR_SOURCE_H_
#define CEDAR_WEIGHTS_TENSOR_SOURCE_H_

// Where the weights of a model come from, tensor by tensor: one description of what a model needs
// (bind_model.h) serves to bind a checkpoint and to plan by the config alone.

#include <cstddef>
#include <string>
#include <vector>

#include "simd/matrix.h"
#include "weights/model_weights.h"

namespace cedar {

// In which formats a matrix may lie.
enum class Storage {
  kAny,
  kPlain,  // F32 or BF16
  kBf16Only,
};

class TensorSource {
 public:
  virtual ~TensorSource() = default;

  // The tensor `name` as rows x cols; `released` is its format in the release.
  virtual WeightMatrix Matrix(const std::string& name, size_t rows, size_t cols, Format released,
                              Storage storage) = 0;
  // A small F32 or BF16 tensor, as fp32 in its row-major order.
  virtual std::vector<float> Floats(const std::string& name, const std::vector<size_t>& shape) = 0;
  virtual EngramTable Table(const std::string& name, size_t rows, size_t head_dim) = 0;
};

}  // namespace cedar

#endif  // CEDAR_WEIGHTS_TENSOR_SOURCE_H_
