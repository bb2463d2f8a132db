#ifndef CEDAR_WEIGHTS_CHECKPOINT_H_
#define CEDAR_WEIGHTS_CHECKPOINT_H_

// All tensors of a model, by name, whichever shard they lie in (checkpoint.md).

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "weights/mapped_file.h"
#include "weights/model_files.h"
#include "weights/safetensors.h"

namespace cedar {

class Checkpoint {
 public:
  // Maps every shard that model.safetensors.index.json names, or model.safetensors where there is
  // no index, and reads their headers. A shard that is missing or damaged, and a tensor that is not
  // in the shard that the index names, is an Error (kModel).
  explicit Checkpoint(const ModelFiles& files);
  Checkpoint(Checkpoint&&) = default;
  Checkpoint& operator=(Checkpoint&&) = default;

  // The tensor with that name, or null. Lives as long as the checkpoint.
  const Tensor* Find(std::string_view name) const;

  // The file that the tensor lies in, for messages; `tensor` is one of ours.
  const std::string& FileOf(const Tensor& tensor) const;

  // The mapping that bytes of one of our tensors lie in.
  const MappedFile& MappingOf(std::span<const uint8_t> part) const;

  // The mappings of all shards.
  std::vector<const MappedFile*> files() const;

  // The path or name of the model, for messages about what no file has.
  const std::string& name() const { return name_; }
  size_t size() const { return by_name_.size(); }

 private:
  struct Shard {
    MappedFile file;
    std::vector<Tensor> tensors;
  };

  void OpenSingle(const ModelFiles& files);
  void OpenIndexed(const ModelFiles& files);
  void OpenShard(const ModelFiles& files, std::string_view file);

  std::string name_;
  std::vector<Shard> shards_;
  std::unordered_map<std::string_view, const Tensor*> by_name_;  // views of Tensor::name
};

}  // namespace cedar

#endif  // CEDAR_WEIGHTS_CHECKPOINT_H_
