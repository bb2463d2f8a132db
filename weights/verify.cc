#include "weights/verify.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "simd/error.h"
#include "weights/checkpoint.h"
#include "weights/layer_plan.h"
#include "weights/model_error.h"
#include "weights/read_model.h"
#include "weights/required_tensors.h"
#include "weights/verify_reader.h"

namespace cedar {
namespace {

// Files beside the weights whose sums may be known.
constexpr std::string_view kOtherFiles[] = {kConfigFile, kTokenizerFile,
                                            "model.safetensors.index.json"};

std::string FileName(const std::string& path) { return path.substr(path.find_last_of('/') + 1); }

class Verification {
 public:
  Verification(const ModelFiles& files, const KnownSums& sums) : files_(files), sums_(sums) {}

  VerifyReport Run(const simd::Workers& workers, const LoadProgress& progress) {
    const ModelConfig config = ReadConfig(files_);
    const Checkpoint checkpoint(files_, [&](const Error& damage) { AddDamage(damage.what()); });
    if (!checkpoint.shards().empty()) AddTensors(checkpoint, config);
    for (const Checkpoint::Shard& shard : checkpoint.shards()) AddShard(shard);
    for (const std::string_view name : kOtherFiles) AddOtherFile(name);
    std::vector<std::string> damages = reader_.Run(workers, progress);
    std::ranges::sort(damages);
    for (const std::string& damage : damages) AddDamage(damage);
    report_.sources.assign(sources_.begin(), sources_.end());
    return std::move(report_);
  }

 private:
  void AddDamage(const std::string& damage) {
    if (report_.damage_count++ < VerifyReport::kMostDamages) report_.damages.push_back(damage);
  }

  void AddTensors(const Checkpoint& checkpoint, const ModelConfig& config) {
    const RequiredTensors required =
        FindRequiredTensors(checkpoint, config, PlanLayers(config),
                            [&](const std::string& name) { return checkpoint.is_lost(name); });
    for (const std::string& damage : required.damages) AddDamage(damage);
    report_.tensors = required.tensors.size();
    needed_.insert(required.tensors.begin(), required.tensors.end());
    CheckOnce(checkpoint, required);
  }

  // A tensor in a second shard, beside the one that the index names, may be another one.
  void CheckOnce(const Checkpoint& checkpoint, const RequiredTensors& required) {
    std::set<std::string_view> names;
    for (const Tensor* const tensor : required.tensors) names.insert(tensor->name);
    for (const Checkpoint::Shard& shard : checkpoint.shards()) {
      for (const Tensor& tensor : shard.tensors) {
        if (needed_.contains(&tensor) || !names.contains(tensor.name)) continue;
        AddDamage(shard.file.path() + ": tensor " + Quoted(tensor.name) +
                  ": found it twice, expected it in " +
                  checkpoint.FileOf(*checkpoint.Find(tensor.name)) + " alone");
      }
    }
  }

  void AddShard(const Checkpoint::Shard& shard) {
    std::vector<const Tensor*> tensors;
    for (const Tensor& tensor : shard.tensors) {
      if (needed_.contains(&tensor)) tensors.push_back(&tensor);
    }
    ++report_.files;
    report_.bytes += shard.file.bytes().size();
    const std::string name = FileName(shard.file.path());
    const std::optional<KnownSum> sum = SumOf(name);
    if (!sum) report_.unsummed.push_back(name);
    reader_.Add(shard.file, std::move(tensors), sum);
  }

  void AddOtherFile(std::string_view name) {
    if (!files_.Has(name)) return;
    const std::optional<KnownSum> sum = SumOf(name);
    if (!sum) return;
    others_.push_back(std::make_unique<MappedFile>(files_.Open(name)));
    reader_.Add(*others_.back(), {}, sum);
  }

  std::optional<KnownSum> SumOf(std::string_view name) {
    std::optional<KnownSum> sum = sums_.Find(files_, name);
    if (!sum) return sum;
    ++report_.summed;
    // A note beside each file is one source.
    const bool note = sum->source.ends_with(".metadata");
    sources_.insert(note ? sum->source.substr(0, sum->source.find_last_of('/')) : sum->source);
    return sum;
  }

  const ModelFiles& files_;
  const KnownSums& sums_;
  VerifyReport report_;
  std::set<const Tensor*> needed_;
  std::set<std::string> sources_;
  std::vector<std::unique_ptr<MappedFile>> others_;
  VerifyReader reader_;
};

}  // namespace

VerifyReport Verify(const ModelFiles& files, const KnownSums& sums, const simd::Workers& workers,
                    const LoadProgress& progress) {
  return Verification(files, sums).Run(workers, progress);
}

}  // namespace cedar
