#ifndef CEDAR_WEIGHTS_SYNTHETIC_TENSORS_H_
#define CEDAR_WEIGHTS_SYNTHETIC_TENSORS_H_

// Which tensors a synthetic checkpoint has, and how their values are spread: random weights whose
// statistics resemble the release's, so that a stack of them neither dies nor explodes. The figures
// are those of the oracle's synthetic.py.

#include <cstddef>
#include <string>
#include <vector>

#include "weights/config.h"
#include "weights/layer_plan.h"

namespace cedar {

struct Spread {
  float mean = 0;
  float deviation = 1;
  bool operator<(const Spread& other) const {
    return mean != other.mean ? mean < other.mean : deviation < other.deviation;
  }
};

enum class TensorKind {
  kF32,
  kBf16,
  kFp8,      // with a scale per 32 x 32 block
  kFp4,      // with a scale per 32 inputs of a row
  kFp8Rows,  // an Engram table: with a scale per 32 channels of a row
};

struct SyntheticTensor {
  std::string name;  // of the weight; one with scales is followed by them in the file
  TensorKind kind;
  std::vector<size_t> shape;  // of one or two dimensions
  Spread spread;

  size_t cols() const { return shape.back(); }
  size_t rows() const { return shape.size() > 1 ? shape[0] : 1; }
  size_t weight_bytes() const;
  size_t scale_bytes() const;  // 0 without scales
};

// All tensors of the model, in the order of the layers.
std::vector<SyntheticTensor> ListTensors(const ModelConfig& config, const LayerPlan& plan);

}  // namespace cedar

#endif  // CEDAR_WEIGHTS_SYNTHETIC_TENSORS_H_
