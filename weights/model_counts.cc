#include "weights/model_counts.h"

#include "simd/formats.h"
#include "weights/bind_model.h"
#include "weights/matrix_bytes.h"
#include "weights/released_layout.h"

namespace cedar {
namespace {

// Adds sizes up.
struct Size : WeightSize {
  void Add(const WeightMatrix& matrix) {
    parameters += matrix.rows * matrix.cols;
    bytes += MatrixBytes(matrix);
  }
  void Add(const std::vector<float>& vector) {
    parameters += vector.size();
    bytes += vector.size() * sizeof(float);
  }
  void Add(const WeightSize& part) {
    parameters += part.parameters;
    bytes += part.bytes;
  }
};

Size SizeOf(const MixWeights& mix) {
  Size size;
  size.Add(mix.fn);
  size.Add(mix.base);
  size.Add(mix.scale);
  return size;
}

Size SizeOf(const KvSourceWeights& source) {
  Size size;
  size.Add(source.wkv);
  size.Add(source.wgate);  // 0 x 0 at ratio 1
  size.Add(source.norm);
  size.Add(source.wk);
  size.Add(source.k_norm);
  return size;
}

// Without what a KV source has besides.
Size SizeOf(const AttentionWeights& attn) {
  Size size;
  size.Add(attn.sink);
  size.Add(attn.wq_a);
  size.Add(attn.q_norm);
  size.Add(attn.wq_b);
  size.Add(attn.wkv);
  size.Add(attn.kv_norm);
  for (const WeightMatrix& group : attn.wo_a) size.Add(group);
  size.Add(attn.wo_b);
  if (attn.indexer) {
    size.Add(attn.indexer->wq_b);
    size.Add(attn.indexer->weights_proj);
  }
  return size;
}

Size SizeOf(const ExpertWeights& expert) {
  Size size;
  size.Add(expert.w1);
  size.Add(expert.w3);
  size.Add(expert.w2);
  return size;
}

// Without the routed experts.
Size SizeOf(const MoeWeights& moe) {
  Size size;
  size.Add(moe.gate);
  size.Add(moe.bias);
  size.Add(SizeOf(moe.shared));
  return size;
}

// Without the table.
Size SizeOf(const EngramWeights& engram) {
  Size size;
  size.Add(engram.wkv);
  const uint64_t parameters = 2 * engram.qk_weight.size();  // a q_weight and a k_weight
  size.Add(WeightSize{parameters, parameters * sizeof(float)});
  return size;
}

WeightSize SizeOf(const EngramTable& table, size_t rows) {
  const bool scaled = table.format == Format::kFp8;
  const size_t row_bytes =
      RowBytes(table.format, table.head_dim) + (scaled ? table.head_dim / kScaleBlock : 0);
  return {rows * table.head_dim, rows * row_bytes};
}

// Without the KV source, the routed experts and the Engram table.
Size CommonSizeOf(const LayerWeights& layer) {
  Size size;
  size.Add(layer.attn_norm);
  size.Add(SizeOf(layer.attn_mix));
  size.Add(SizeOf(layer.attn));
  size.Add(layer.ffn_norm);
  size.Add(SizeOf(layer.ffn_mix));
  size.Add(SizeOf(layer.moe));
  if (layer.engram) size.Add(SizeOf(*layer.engram));
  return size;
}

// With so many of the routed experts.
Size SizeOf(const LayerWeights& layer, size_t experts) {
  const LayerSizes sizes = SizesOf(layer);
  Size size;
  size.Add(sizes.common);
  size.Add(sizes.kv_source);
  size.Add(WeightSize{experts * sizes.expert.parameters, experts * sizes.expert.bytes});
  return size;
}

// What one token reads of a layer, its rows of an Engram table among it.
Size ActiveSizeOf(const LayerWeights& layer, const ModelConfig& config) {
  Size size = SizeOf(layer, config.experts_per_token);
  if (layer.engram) size.Add(SizeOf(layer.engram->table, config.engram.columns()));
  return size;
}

Size ActivePrefill(const ModelWeights& weights, const ModelConfig& config, const LayerPlan& plan) {
  Size size;
  size.Add(RowsOf(weights.embed, {0, 1}));
  for (int i = 0; i < plan.first_decoder_layer; ++i) {
    size.Add(ActiveSizeOf(weights.layers[i], config));
  }
  size.Add(SizeOf(*weights.layers[plan.first_decoder_layer].attn.kv_source));
  return size;
}

Size ActiveDecode(const ModelWeights& weights, const ModelConfig& config) {
  Size size;
  size.Add(RowsOf(weights.embed, {0, 1}));
  for (const LayerWeights& layer : weights.layers) size.Add(ActiveSizeOf(layer, config));
  size.Add(weights.norm);
  size.Add(weights.head);
  return size;
}

double KvBytesPerToken(const ModelConfig& config, const LayerPlan& plan) {
  const size_t row = CompressedRowBytes(config.head_dim) + IndexKeyBytes(config.index_head_dim);
  double rows = 0;
  for (const KvSource& source : plan.kv_sources) rows += 1.0 / source.ratio;
  return static_cast<double>(row) * rows;
}

}  // namespace

LayerSizes SizesOf(const LayerWeights& layer) {
  LayerSizes sizes;
  sizes.common = CommonSizeOf(layer);
  if (layer.attn.kv_source) sizes.kv_source = SizeOf(*layer.attn.kv_source);
  sizes.expert = SizeOf(layer.moe.routed[0]);
  return sizes;
}

WeightSize HeadSize(const ModelWeights& weights) {
  Size size;
  size.Add(weights.norm);
  size.Add(weights.head);
  return size;
}

ModelCounts CountModel(const ModelWeights& weights, const ModelConfig& config,
                       const LayerPlan& plan) {
  Size total;
  Size engram;
  total.Add(weights.embed);
  for (const LayerWeights& layer : weights.layers) {
    total.Add(SizeOf(layer, config.experts));
    if (layer.engram) engram.Add(SizeOf(layer.engram->table, layer.engram->table.rows));
  }
  total.Add(weights.norm);
  total.Add(weights.head);
  const Size prefill = ActivePrefill(weights, config, plan);
  const Size decode = ActiveDecode(weights, config);
  ModelCounts counts;
  counts.parameters = {total.parameters, engram.parameters, prefill.parameters, decode.parameters};
  counts.bytes = {total.bytes, engram.bytes, decode.bytes, KvBytesPerToken(config, plan),
                  weights.layers.size() * config.window * WindowRowBytes(config.head_dim)};
  return counts;
}

ModelCounts CountModel(const ModelConfig& config, const LayerPlan& plan) {
  ReleasedLayout layout;
  return CountModel(BindModel(layout, config, plan), config, plan);
}

}  // namespace cedar
