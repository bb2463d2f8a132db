#include "engine/model_identity.h"

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "weights/matrix_bytes.h"
#include "weights/weight_walk.h"

namespace cedar {
namespace {

constexpr std::string_view kVersion = "global KV 3";
constexpr std::string_view kIndexFile = "model.safetensors.index.json";
constexpr size_t kSampleBytes = 64;
constexpr size_t kExpertStep = 8;

class Fingerprint {
 public:
  void Add(std::string_view bytes) { text_ += bytes; }
  void Add(const std::vector<float>& values) {
    Add({reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)});
  }
  void Add(std::span<const double> values) {
    Add({reinterpret_cast<const char*>(values.data()), values.size_bytes()});
  }
  void Add(const WeightMatrix& w) {
    const size_t bytes = w.rows * RowBytes(w.format, w.cols);
    const size_t count = std::min(bytes, kSampleBytes);
    for (const size_t at : {size_t{0}, (bytes - count) / 2, bytes - count}) {
      AddData(w, at, count);
    }
  }
  void AddFiles(const ModelFiles& files) {
    for (const std::string_view file : {kConfigFile, kTokenizerFile, kIndexFile}) {
      if (files.Has(file)) Add(files.Open(file).text());
    }
  }
  // Those that the content key has always had.
  void AddVectors(const LayerWeights& layer) {
    const AttentionWeights& attn = layer.attn;
    for (const auto* values : {&layer.attn_norm, &layer.ffn_norm, &attn.sink, &attn.q_norm,
                               &attn.kv_norm, &layer.moe.bias}) {
      Add(*values);
    }
  }
  // Everything, but of the routed experts each kExpertStep-th.
  void AddAll(const LayerWeights& layer) {
    const auto add = [&](WeightRole role, const auto& weight) {
      if (role != WeightRole::kRoutedExpert) Add(weight);
    };
    ForEachVectorOfLayer(layer, add);
    ForEachMatrixOfLayer(layer, add);
    for (size_t i = 0; i < layer.moe.routed.size(); i += kExpertStep) {
      ForEachMatrixOfExpert(WeightRole::kCommon, layer.moe.routed[i], add);
    }
    if (layer.engram) Add(std::span<const double>(layer.engram->qk_weight));
  }

  PageKey Key() const {
    return KeyOf({reinterpret_cast<const uint8_t*>(text_.data()), text_.size()});
  }

 private:
  // Bytes [at, at + count) of a matrix, as if it were not divided.
  void AddData(const WeightMatrix& w, size_t at, size_t count) {
    const size_t row_bytes = RowBytes(w.format, w.cols);
    for (const size_t end = at + count; at < end;) {
      const MatrixPart part = PartWith(w, at / row_bytes);
      const size_t here = std::min(end, part.rows.end * row_bytes) - at;
      const uint8_t* const data = part.data + at - part.rows.begin * row_bytes;
      Add({reinterpret_cast<const char*>(data), here});
      at += here;
    }
  }

  std::string text_;
};

}  // namespace

PageKey MakeContentKey(const ModelFiles& files, const ModelWeights& weights) {
  Fingerprint print;
  print.AddFiles(files);
  for (const LayerWeights& layer : weights.layers) print.AddVectors(layer);
  return print.Key();
}

PageKey MakeIdentity(const ModelFiles& files, const ModelWeights& weights,
                     const simd::Kernels& kernels, std::string_view numerics) {
  Fingerprint print;
  print.Add(kVersion);
  print.AddFiles(files);
  print.Add(weights.embed);
  for (const LayerWeights& layer : weights.layers) print.AddAll(layer);
  print.Add(IsaName(kernels.isa));
  print.Add(kernels.prompt.name);
  print.Add(kernels.generated.name);
  print.Add(numerics);
  return print.Key();
}

}  // namespace cedar
