#ifndef CEDAR_WEIGHTS_CHECKPOINT_SOURCE_H_
#define CEDAR_WEIGHTS_CHECKPOINT_SOURCE_H_

// The weights of a checkpoint: every dtype and shape is checked as a tensor is asked for.

#include <string>
#include <vector>

#include "weights/checkpoint.h"
#include "weights/tensor_source.h"

namespace cedar {

class CheckpointSource : public TensorSource {
 public:
  // The checkpoint must outlive this and what it hands out.
  explicit CheckpointSource(const Checkpoint& checkpoint) : checkpoint_(checkpoint) {}

  WeightMatrix Matrix(const std::string& name, size_t rows, size_t cols, Format released,
                      Storage storage) override;
  std::vector<float> Floats(const std::string& name, const std::vector<size_t>& shape) override;
  EngramTable Table(const std::string& name, size_t rows, size_t head_dim) override;

 private:
  // What the tensor may be, for messages; the first is how the release has it.
  using Choices = std::vector<std::string>;

  const Tensor& Get(const std::string& name, const Choices& choices) const;
  // The scales that belong to the quantised tensor `name`.
  const uint8_t* Scales(const std::string& name, size_t rows, size_t cols) const;
  [[noreturn]] void Refuse(const Tensor& tensor, const Choices& choices) const;

  const Checkpoint& checkpoint_;
};

}  // namespace cedar

#endif  // CEDAR_WEIGHTS_CHECKPOINT_SOURCE_H_
