#include "weights/model_counts.h"

#include "simd/formats.h"
#include "weights/bind_model.h"
#include "weights/matrix_bytes.h"
#include "weights/released_layout.h"
#include "weights/weight_walk.h"

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

WeightSize SizeOf(const EngramTable& table, size_t rows) {
  const bool scaled = table.format == Format::kFp8;
  const size_t row_bytes =
      RowBytes(table.format, table.head_dim) + (scaled ? table.head_dim / kScaleBlock : 0);
  return {rows * table.head_dim, rows * row_bytes};
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
  size.Add(SizesOf(weights.layers[plan.first_decoder_layer]).kv_source);
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
  Size common, kv_source, expert;
  const auto add = [&](WeightRole role, const auto& weight) {
    if (role != WeightRole::kRoutedExpert) {
      (role == WeightRole::kKvSource ? kv_source : common).Add(weight);
    }
  };
  ForEachMatrixOfLayer(layer, add);
  ForEachVectorOfLayer(layer, add);
  if (layer.engram) {
    const uint64_t parameters = 2 * layer.engram->qk_weight.size();  // a q_weight and a k_weight
    common.Add(WeightSize{parameters, parameters * sizeof(float)});
  }
  ForEachMatrixOfExpert(WeightRole::kRoutedExpert, layer.moe.routed[0],
                        [&](WeightRole, const WeightMatrix& matrix) { expert.Add(matrix); });
  return {common, kv_source, expert};
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
