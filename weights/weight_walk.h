#ifndef CEDAR_WEIGHTS_WEIGHT_WALK_H_
#define CEDAR_WEIGHTS_WEIGHT_WALK_H_

// The one walk over the weights of a model: what counts, moves, samples or identifies them visits
// them here, and says by their role which ones it leaves out.

#include <cstddef>

#include "weights/model_weights.h"

namespace cedar {

// What decides whether a token reads a weight, and where it may lie.
enum class WeightRole {
  kEmbedding,     // a token reads one row
  kMix,           // of the hyper-connections, whose kernels want whole matrices
  kCommon,        // of a layer: every token reads it
  kKvSource,      // of a layer: read where its compressed rows and index keys are made
  kRoutedExpert,  // of a layer: read by those who choose it
  kHead,          // read for logits
};

// Calls visit(role, matrix) for every matrix of an expert.
template <class Expert, class Visit>
void ForEachMatrixOfExpert(WeightRole role, Expert& expert, const Visit& visit) {
  visit(role, expert.w1);
  visit(role, expert.w3);
  visit(role, expert.w2);
}

// The same for a layer, in the order of a forward pass. Layer is LayerWeights or const
// LayerWeights.
template <class Layer, class Visit>
void ForEachMatrixOfLayer(Layer& layer, const Visit& visit) {
  const auto matrices = [&](WeightRole role, auto&... matrix) { (visit(role, matrix), ...); };
  if (layer.engram) matrices(WeightRole::kCommon, layer.engram->wkv);
  matrices(WeightRole::kMix, layer.attn_mix.fn, layer.ffn_mix.fn);
  auto& attn = layer.attn;
  matrices(WeightRole::kCommon, attn.wq_a, attn.wkv, attn.wq_b);
  if (attn.kv_source) {
    auto& source = *attn.kv_source;
    matrices(WeightRole::kKvSource, source.wkv);
    if (source.wgate.rows > 0) matrices(WeightRole::kKvSource, source.wgate);
    matrices(WeightRole::kKvSource, source.wk);
  }
  if (attn.indexer) matrices(WeightRole::kCommon, attn.indexer->wq_b, attn.indexer->weights_proj);
  for (auto& group : attn.wo_a) matrices(WeightRole::kCommon, group);
  matrices(WeightRole::kCommon, attn.wo_b, layer.moe.gate);
  for (auto& expert : layer.moe.routed) {
    ForEachMatrixOfExpert(WeightRole::kRoutedExpert, expert, visit);
  }
  ForEachMatrixOfExpert(WeightRole::kCommon, layer.moe.shared, visit);
}

// The same for a model: the embedding, all layers, the head. The Engram tables are no matrices: a
// token reads a few rows of them, where they lie.
template <class Weights, class Visit>
void ForEachMatrix(Weights& weights, const Visit& visit) {
  visit(WeightRole::kEmbedding, weights.embed);
  for (auto& layer : weights.layers) ForEachMatrixOfLayer(layer, visit);
  visit(WeightRole::kHead, weights.head);
}

// Calls visit(role, vector) for every vector of fp32 values of a layer.
template <class Visit>
void ForEachVectorOfLayer(const LayerWeights& layer, const Visit& visit) {
  const auto vectors = [&](WeightRole role, const auto&... vector) { (visit(role, vector), ...); };
  for (const MixWeights* mix : {&layer.attn_mix, &layer.ffn_mix}) {
    vectors(WeightRole::kMix, mix->base, mix->scale);
  }
  const AttentionWeights& attn = layer.attn;
  vectors(WeightRole::kCommon, layer.attn_norm, attn.sink, attn.q_norm, attn.kv_norm);
  if (attn.kv_source) {
    vectors(WeightRole::kKvSource, attn.kv_source->norm, attn.kv_source->k_norm);
  }
  vectors(WeightRole::kCommon, layer.ffn_norm, layer.moe.bias);
}

}  // namespace cedar

#endif  // CEDAR_WEIGHTS_WEIGHT_WALK_H_
