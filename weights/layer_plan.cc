#include "weights/layer_plan.h"

#include <algorithm>

namespace cedar {
namespace {

// The index of `layer` in a list of layers, or -1.
int IndexOf(const std::vector<int>& layers, int layer) {
  const auto found = std::ranges::find(layers, layer);
  return found == layers.end() ? -1 : static_cast<int>(found - layers.begin());
}

}  // namespace

LayerPlan PlanLayers(const ModelConfig& config) {
  LayerPlan plan;
  plan.first_decoder_layer = config.kv_sources.back();
  int index_source = -1;
  for (int layer = 0; layer < config.layers; ++layer) {
    PlannedLayer planned;
    planned.half = layer < plan.first_decoder_layer ? Half::kEncoder : Half::kDecoder;
    planned.engram = IndexOf(config.engram.layers, layer);
    planned.ratio = config.compress_ratios[layer];
    if (planned.ratio >= 1) {
      planned.is_kv_source = IndexOf(config.kv_sources, layer) >= 0;
      if (planned.is_kv_source) plan.kv_sources.push_back({layer, planned.ratio});
      planned.kv_source = static_cast<int>(plan.kv_sources.size()) - 1;
      planned.is_index_source = IndexOf(config.index_sources, layer) >= 0;
      if (planned.is_index_source) index_source = layer;
      planned.index_source = index_source;
      if (config.candidates && planned.is_index_source) {
        planned.is_candidate_source = layer == config.candidates->source_layer;
        planned.uses_candidates = layer > config.candidates->source_layer;
      }
    }
    plan.layers.push_back(planned);
  }
  return plan;
}

}  // namespace cedar
