#ifndef CEDAR_WEIGHTS_CHECKPOINT_H_
#define CEDAR_WEIGHTS_CHECKPOINT_H_

// All tensors of a model, by name, whichever shard they lie in (checkpoint.md).

#include <cstddef>
#include <functional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "simd/error.h"
#include "weights/mapped_file.h"
#include "weights/model_files.h"
#include "weights/safetensors.h"

namespace cedar {

class Checkpoint {
 public:
  // Maps every shard that model.safetensors.index.json names, or model.safetensors where there is
  // no index, and reads their headers. A shard that is missing or damaged, and a tensor that is not
  // in the shard that the index names, is an Error (kModel); so are tensors of another
  // quantisation.
  explicit Checkpoint(const ModelFiles& files);
  // Opens what is not damaged and calls `damaged` for each thing that is, instead of throwing. A
  // tensor that the index lists and that is not there `is_lost()`.
  using DamageSink = std::function<void(const Error& damage)>;
  Checkpoint(const ModelFiles& files, const DamageSink& damaged);
  Checkpoint(Checkpoint&&) = default;
  Checkpoint& operator=(Checkpoint&&) = default;

  // The tensor with that name, or null. Lives as long as the checkpoint.
  const Tensor* Find(std::string_view name) const;

  // The file that the tensor lies in, for messages; `tensor` is one of ours.
  const std::string& FileOf(const Tensor& tensor) const;

  // The mapping that bytes of one of our tensors lie in.
  const MappedFile& MappingOf(std::span<const uint8_t> part) const;

  // Whether it is known from the index that this tensor is missing, or its shard cannot be read.
  bool is_lost(std::string_view tensor) const { return lost_.contains(tensor); }

  struct Shard {
    MappedFile file;
    std::vector<Tensor> tensors;  // in the order of the header
  };
  const std::vector<Shard>& shards() const { return shards_; }

  // The mappings of all shards.
  std::vector<const MappedFile*> files() const;

  // The path or name of the model, for messages about what no file has.
  const std::string& name() const { return name_; }
  size_t size() const { return by_name_.size(); }

 private:
  void OpenSingle(const ModelFiles& files);
  void OpenIndexed(const ModelFiles& files, const DamageSink& damaged);
  void OpenShard(const ModelFiles& files, std::string_view file);

  std::string name_;
  std::vector<Shard> shards_;
  std::unordered_map<std::string_view, const Tensor*> by_name_;  // views of Tensor::name
  std::set<std::string, std::less<>> lost_;
};

}  // namespace cedar

#endif  // CEDAR_WEIGHTS_CHECKPOINT_H_
