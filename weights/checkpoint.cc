#include "weights/checkpoint.h"

#include <functional>
#include <unordered_map>
#include <utility>

#include "simd/error.h"
#include "weights/checkpoint_index.h"
#include "weights/model_error.h"

namespace cedar {
namespace {

constexpr std::string_view kIndexFile = "model.safetensors.index.json";
constexpr std::string_view kSingleFile = "model.safetensors";

}  // namespace

Checkpoint::Checkpoint(const ModelFiles& files) : name_(files.name()) {
  if (files.Has(kIndexFile)) {
    OpenIndexed(files);
  } else {
    OpenSingle(files);
  }
}

void Checkpoint::OpenSingle(const ModelFiles& files) {
  OpenShard(files, kSingleFile);
  for (const Tensor& tensor : shards_[0].tensors) by_name_.emplace(tensor.name, &tensor);
}

// Only what the index lists is there: a tensor in a shard that is not the one the index names for
// it does not count.
void Checkpoint::OpenIndexed(const ModelFiles& files) {
  const MappedFile index_file = files.Open(kIndexFile);
  const std::vector<IndexEntry> index = ParseIndex(index_file.text(), index_file.path());
  std::unordered_map<std::string_view, size_t> shard_ids;
  std::unordered_map<std::string_view, size_t> shard_of;  // tensor -> shard
  shard_of.reserve(index.size());
  for (const IndexEntry& entry : index) {
    const auto [shard, is_new] = shard_ids.emplace(entry.shard, shard_ids.size());
    if (is_new) OpenShard(files, entry.shard);
    shard_of.emplace(entry.tensor, shard->second);
  }
  by_name_.reserve(index.size());
  for (size_t i = 0; i < shards_.size(); ++i) {
    for (const Tensor& tensor : shards_[i].tensors) {
      const auto listed = shard_of.find(tensor.name);
      if (listed != shard_of.end() && listed->second == i) by_name_.emplace(tensor.name, &tensor);
    }
  }
  for (const IndexEntry& entry : index) {
    if (!by_name_.contains(entry.tensor)) {
      RefuseModel(files.PathOf(entry.shard), "no tensor " + Quoted(entry.tensor),
                  "it, as " + std::string(kIndexFile) + " says");
    }
  }
}

void Checkpoint::OpenShard(const ModelFiles& files, std::string_view file) {
  MappedFile mapped = files.Open(file);
  std::vector<Tensor> tensors = ReadSafetensors(mapped.bytes(), mapped.path());
  shards_.push_back({std::move(mapped), std::move(tensors)});
}

const Tensor* Checkpoint::Find(std::string_view name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : found->second;
}

const std::string& Checkpoint::FileOf(const Tensor& tensor) const {
  return MappingOf(tensor.bytes).path();
}

std::vector<const MappedFile*> Checkpoint::files() const {
  std::vector<const MappedFile*> files;
  for (const Shard& shard : shards_) files.push_back(&shard.file);
  return files;
}

const MappedFile& Checkpoint::MappingOf(std::span<const uint8_t> part) const {
  // Pointers into different arrays compare in a total order only through std::less_equal.
  const std::less_equal<const uint8_t*> not_after;
  for (const Shard& shard : shards_) {
    const std::span<const uint8_t> file = shard.file.bytes();
    if (not_after(file.data(), part.data()) &&
        not_after(part.data() + part.size(), file.data() + file.size())) {
      return shard.file;
    }
  }
  CEDAR_CHECK(!"bytes of this checkpoint");
  return shards_.front().file;
}

}  // namespace cedar
