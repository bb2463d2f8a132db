#include "weights/synthetic_checkpoint.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <tuple>
#include <vector>

#include "simd/error.h"
#include "simd/formats.h"
#include "weights/config.h"
#include "weights/layer_plan.h"
#include "weights/model_files.h"
#include "weights/random.h"
#include "weights/synthetic_pool.h"
#include "weights/synthetic_tensors.h"
#include "weights/tensor_names.h"

namespace cedar {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr size_t kShardBytes = size_t{4} << 30;

// What is written at once: aligned pieces of several huge pages, so that the file lies in the cache
// on huge pages where the file system can do that. Small writes leave it on small ones.
constexpr size_t kWriteBytes = size_t{4} << 20;

// A file that is written front to back; every failure is an Error that names it.
class OutputFile {
 public:
  explicit OutputFile(const std::string& path) : path_(path), file_(path, std::ios::binary) {
    buffer_.reserve(kWriteBytes);
    Check();
  }
  void Write(const void* data, size_t bytes) {
    const char* from = static_cast<const char*>(data);
    while (bytes > 0) {
      const size_t part = std::min(bytes, kWriteBytes - buffer_.size());
      buffer_.insert(buffer_.end(), from, from + part);
      from += part;
      bytes -= part;
      if (buffer_.size() == kWriteBytes) Flush();
    }
  }
  void Close() {
    Flush();
    file_.close();
    Check();
  }

 private:
  void Flush() {
    file_.write(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
    buffer_.clear();
    Check();
  }
  void Check() const {
    if (!file_) throw Error(ErrorKind::kInput, path_ + ": " + std::strerror(errno));
  }
  std::string path_;
  std::ofstream file_;
  std::vector<char> buffer_;
};

void WriteText(const fs::path& path, const std::string& text) {
  OutputFile file(path.string());
  file.Write(text.data(), text.size());
  file.Close();
}

const char* DTypeName(TensorKind kind) {
  switch (kind) {
    case TensorKind::kF32:
      return "F32";
    case TensorKind::kBf16:
      return "BF16";
    case TensorKind::kFp4:
      return "I8";
    default:
      return "F8_E4M3";
  }
}

std::vector<size_t> ScaleShape(const SyntheticTensor& t) {
  const size_t rows =
      t.kind == TensorKind::kFp8 ? (t.rows() + kScaleBlock - 1) / kScaleBlock : t.rows();
  return {rows, t.cols() / kScaleBlock};
}

Json HeaderEntry(const char* dtype, const std::vector<size_t>& shape, size_t bytes, size_t& at) {
  Json entry = {{"dtype", dtype}, {"shape", shape}, {"data_offsets", {at, at + bytes}}};
  at += bytes;
  return entry;
}

std::string Header(const std::vector<SyntheticTensor>& shard) {
  Json header = {{"__metadata__", {{"format", "pt"}}}};
  size_t at = 0;
  for (const SyntheticTensor& t : shard) {
    std::vector<size_t> shape = t.shape;
    if (t.kind == TensorKind::kFp4) shape.back() /= 2;
    header[t.name] = HeaderEntry(DTypeName(t.kind), shape, t.weight_bytes(), at);
    if (t.scale_bytes() > 0) {
      header[tensor_names::Scale(t.name)] =
          HeaderEntry("F8_E8M0", ScaleShape(t), t.scale_bytes(), at);
    }
  }
  std::string text = header.dump();
  text.resize((text.size() + 7) / 8 * 8, ' ');
  return text;
}

// Random tensors, cut from pools that are made when they are first wanted.
class TensorWriter {
 public:
  TensorWriter(uint64_t seed, SynthProgress progress, size_t total)
      : random_(seed), progress_(std::move(progress)), total_(total) {}

  void Write(const SyntheticTensor& t, OutputFile& file) {
    const SyntheticPool& pool = PoolFor(t);
    const size_t strip_rows = t.kind == TensorKind::kFp8 ? kScaleBlock : 1;
    const size_t row_bytes = t.weight_bytes() / t.rows();
    std::vector<uint8_t> strip(strip_rows * row_bytes);
    std::vector<size_t> cuts;
    for (size_t row = 0; row < t.rows(); row += strip_rows) {
      const size_t rows = std::min(strip_rows, t.rows() - row);
      cuts.push_back(pool.Cut(t.cols(), random_));
      pool.CopyWeights(cuts.back(), rows, t.cols(), strip.data());
      file.Write(strip.data(), rows * row_bytes);
      Report(rows * row_bytes);
    }
    if (t.scale_bytes() == 0) return;
    std::vector<uint8_t> scales(t.cols() / kScaleBlock);
    for (const size_t cut : cuts) {
      pool.CopyScales(cut, t.cols(), scales.data());
      file.Write(scales.data(), scales.size());
    }
  }

 private:
  const SyntheticPool& PoolFor(const SyntheticTensor& t) {
    std::unique_ptr<SyntheticPool>& pool = pools_[{t.kind, t.spread, t.cols()}];
    if (pool == nullptr) {
      pool = std::make_unique<SyntheticPool>(t, random_);
    }
    return *pool;
  }

  void Report(size_t bytes) {
    done_ += bytes;
    if (progress_) progress_(done_, total_);
  }

  Random random_;
  std::map<std::tuple<TensorKind, Spread, size_t>, std::unique_ptr<SyntheticPool>> pools_;
  SynthProgress progress_;
  size_t done_ = 0;
  size_t total_;
};

std::vector<std::vector<SyntheticTensor>> CutIntoShards(std::vector<SyntheticTensor> tensors) {
  std::vector<std::vector<SyntheticTensor>> shards(1);
  size_t bytes = 0;
  for (SyntheticTensor& t : tensors) {
    const size_t more = t.weight_bytes() + t.scale_bytes();
    if (bytes > 0 && bytes + more > kShardBytes) {
      shards.emplace_back();
      bytes = 0;
    }
    bytes += more;
    shards.back().push_back(std::move(t));
  }
  return shards;
}

std::string ShardName(size_t i, size_t count) {
  char name[64];
  std::snprintf(name, sizeof(name), "model-%05zu-of-%05zu.safetensors", i + 1, count);
  return name;
}

void WriteShard(const fs::path& path, const std::vector<SyntheticTensor>& shard,
                TensorWriter& writer) {
  const std::string header = Header(shard);
  const uint64_t length = header.size();
  OutputFile file(path.string());
  file.Write(&length, sizeof(length));
  file.Write(header.data(), header.size());
  for (const SyntheticTensor& t : shard) writer.Write(t, file);
  file.Close();
}

void MakeDirectory(const fs::path& directory) {
  std::error_code error;
  fs::create_directories(directory, error);
  if (error) throw Error(ErrorKind::kInput, directory.string() + ": " + error.message());
  if (fs::exists(directory / kConfigFile)) {
    throw Error(ErrorKind::kInput, directory.string() + ": holds a model already");
  }
}

}  // namespace

void WriteSyntheticCheckpoint(const std::string& directory, const SyntheticModel& model,
                              uint64_t seed, const SynthProgress& progress) {
  const fs::path folder(directory);
  const ModelConfig config = ParseConfig(model.config, (folder / kConfigFile).string());
  MakeDirectory(folder);
  const auto shards = CutIntoShards(ListTensors(config, PlanLayers(config)));
  size_t total = 0, all = 0;
  for (const auto& shard : shards) {
    for (const SyntheticTensor& t : shard) {
      total += t.weight_bytes();
      all += t.weight_bytes() + t.scale_bytes();
    }
  }
  TensorWriter writer(seed, progress, total);
  Json weight_map = Json::object();
  for (size_t i = 0; i < shards.size(); ++i) {
    const std::string name = ShardName(i, shards.size());
    WriteShard(folder / name, shards[i], writer);
    for (const SyntheticTensor& t : shards[i]) {
      weight_map[t.name] = name;
      if (t.scale_bytes() > 0) weight_map[tensor_names::Scale(t.name)] = name;
    }
  }
  const Json index = {{"metadata", {{"total_size", all}}}, {"weight_map", weight_map}};
  WriteText(folder / "model.safetensors.index.json", index.dump(1) + "\n");
  WriteText(folder / kTokenizerFile, model.tokenizer);
  WriteText(folder / kConfigFile, model.config);  // last: a directory without it is no model
}

}  // namespace cedar
