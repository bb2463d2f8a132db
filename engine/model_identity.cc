#include "engine/model_identity.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "weights/matrix_bytes.h"

namespace cedar {
namespace {

constexpr std::string_view kVersion = "global KV 2";
constexpr std::string_view kIndexFile = "model.safetensors.index.json";
constexpr size_t kSampleBytes = 64;
constexpr size_t kExpertStep = 8;

class Fingerprint {
 public:
  void Add(std::string_view bytes) { text_ += bytes; }
  void Add(const std::vector<float>& values) {
    Add({reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)});
  }
  void Add(const WeightMatrix& w) {
    const size_t bytes = w.rows * RowBytes(w.format, w.cols);
    const size_t count = std::min(bytes, kSampleBytes);
    for (const size_t at : {size_t{0}, (bytes - count) / 2, bytes - count}) {
      AddData(w, at, count);
    }
  }
  void Add(const ExpertWeights& expert) {
    for (const WeightMatrix* w : {&expert.w1, &expert.w2, &expert.w3}) Add(*w);
  }
  void AddFiles(const ModelFiles& files) {
    for (const std::string_view file : {kConfigFile, kTokenizerFile, kIndexFile}) {
      if (files.Has(file)) Add(files.Open(file).text());
    }
  }
  void AddVectors(const LayerWeights& layer) {
    const AttentionWeights& attn = layer.attn;
    for (const auto* values : {&layer.attn_norm, &layer.ffn_norm, &attn.sink, &attn.q_norm,
                               &attn.kv_norm, &layer.moe.bias}) {
      Add(*values);
    }
  }
  void Add(const LayerWeights& layer) {
    AddVectors(layer);
    const AttentionWeights& attn = layer.attn;
    for (const WeightMatrix* w : {&attn.wq_a, &attn.wq_b, &attn.wkv, &attn.wo_b, &layer.moe.gate}) {
      Add(*w);
    }
    for (const WeightMatrix& w : attn.wo_a) Add(w);
    if (attn.kv_source) {
      for (const WeightMatrix* w : {&attn.kv_source->wkv, &attn.kv_source->wk}) Add(*w);
    }
    Add(layer.moe.shared);
    for (size_t i = 0; i < layer.moe.routed.size(); i += kExpertStep) Add(layer.moe.routed[i]);
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
  for (const LayerWeights& layer : weights.layers) print.Add(layer);
  print.Add(IsaName(kernels.isa));
  print.Add(kernels.prompt.name);
  print.Add(kernels.generated.name);
  print.Add(numerics);
  return print.Key();
}

}  // namespace cedar
