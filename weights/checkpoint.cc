#include "weights/checkpoint.h"

#include <functional>
#include <limits>
#include <unordered_map>
#include <utility>

#include "simd/error.h"
#include "weights/checkpoint_index.h"
#include "weights/model_error.h"
#include "weights/other_models.h"

namespace cedar {
namespace {

// A config may not say so: what has no name here would be read of as a missing tensor.
void RefuseOtherQuantisation(const std::string& file, std::string_view tensor) {
  const std::string_view other = OtherQuantisationOf(tensor);
  if (other.empty()) return;
  RefuseModel(file + ": tensor " + Quoted(tensor), "another quantisation: " + std::string(other),
              "the tensors of the release");
}

constexpr size_t kClosed = std::numeric_limits<size_t>::max();  // a shard that is damaged

}  // namespace

Checkpoint::Checkpoint(const ModelFiles& files)
    : Checkpoint(files, [](const Error& damage) { throw damage; }) {}

Checkpoint::Checkpoint(const ModelFiles& files, const DamageSink& damaged) : name_(files.name()) {
  try {
    if (files.Has(kIndexFile)) {
      OpenIndexed(files, damaged);
    } else {
      OpenSingle(files);
    }
  } catch (const Error& damage) {
    damaged(damage);
  }
}

void Checkpoint::OpenSingle(const ModelFiles& files) {
  if (!files.Has(kSingleFile)) {
    RefuseModel(files.PathOf(kIndexFile),
                files.HasWeights() ? "no such file, though there are shards" : "no such file",
                "it, or " + std::string(kSingleFile));
  }
  OpenShard(files, kSingleFile);
  for (const Tensor& tensor : shards_[0].tensors) {
    RefuseOtherQuantisation(FileOf(tensor), tensor.name);
    by_name_.emplace(tensor.name, &tensor);
  }
}

// Only what the index lists is there: a tensor in a shard that is not the one the index names for
// it does not count.
void Checkpoint::OpenIndexed(const ModelFiles& files, const DamageSink& damaged) {
  const MappedFile index_file = files.Open(kIndexFile);
  const std::vector<IndexEntry> index = ParseIndex(index_file.text(), index_file.path());
  std::unordered_map<std::string_view, size_t> shard_ids;
  std::unordered_map<std::string_view, size_t> shard_of;  // tensor -> shard
  shard_of.reserve(index.size());
  for (const IndexEntry& entry : index) {
    RefuseOtherQuantisation(index_file.path(), entry.tensor);
    auto shard = shard_ids.find(entry.shard);
    if (shard == shard_ids.end()) {
      shard = shard_ids.emplace(entry.shard, kClosed).first;
      try {
        OpenShard(files, entry.shard);
        shard->second = shards_.size() - 1;
      } catch (const Error& damage) {
        damaged(damage);
      }
    }
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
    if (by_name_.contains(entry.tensor)) continue;
    lost_.insert(entry.tensor);
    if (shard_of[entry.tensor] == kClosed) continue;  // that was said
    try {
      RefuseModel(files.PathOf(entry.shard), "no tensor " + Quoted(entry.tensor),
                  "it, as " + std::string(kIndexFile) + " says");
    } catch (const Error& damage) {
      damaged(damage);
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
