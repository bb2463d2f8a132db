#include "engine/work_counter.h"

#include <algorithm>

#include "engine/model.h"
#include "engine/step.h"

namespace cedar {

WorkCounter::WorkCounter(const Model& model)
    : model_(model), head_(HeadSize(model.weights)), chosen_(model.config.experts) {
  for (const LayerWeights& layer : model.weights.layers) sizes_.push_back(SizesOf(layer));
}

void WorkCounter::Add(const WeightSize& weights, size_t rows) {
  work_.weight_bytes += static_cast<double>(weights.bytes);
  work_.operations += 2.0 * static_cast<double>(weights.parameters) * static_cast<double>(rows);
}

double WorkCounter::AttentionOperations(size_t layer, size_t position) const {
  const ModelConfig& c = model_.config;
  const PlannedLayer& planned = model_.plan.layers[layer];
  const size_t window = std::min(c.window, position + 1);
  const size_t visible = planned.ratio == 0 ? 0 : (position + 1) / planned.ratio;
  const size_t rows = window + std::min(c.index_topk, visible);
  double operations = 4.0 * static_cast<double>(c.queries_width()) * static_cast<double>(rows);
  if (planned.is_index_source) {
    const size_t candidates =
        planned.uses_candidates ? c.candidates->blocks * c.candidates->block_rows : visible;
    operations += 2.0 * static_cast<double>(c.index_heads * c.index_head_dim) *
                  static_cast<double>(std::min(candidates, visible));
  }
  return operations;
}

void WorkCounter::OnStep(size_t layer, const Step& step) {
  std::fill(chosen_.begin(), chosen_.end(), false);
  Add(sizes_[layer].common, step.rows);
  for (const Segment& segment : step.segments) {
    for (size_t i = 0; i < segment.count; ++i) {
      work_.operations += AttentionOperations(layer, segment.position + i);
    }
  }
}

void WorkCounter::OnPublish(size_t layer, size_t rows) { Add(sizes_[layer].kv_source, rows); }

void WorkCounter::OnExperts(size_t layer, size_t, std::span<const int32_t> experts) {
  const WeightSize& expert = sizes_[layer].expert;
  for (const int32_t id : experts) {
    const double operations = 2.0 * static_cast<double>(expert.parameters);
    work_.operations += operations;
    work_.expert_operations += operations;
    if (chosen_[static_cast<size_t>(id)]) continue;
    chosen_[static_cast<size_t>(id)] = true;
    work_.weight_bytes += static_cast<double>(expert.bytes);
  }
}

void WorkCounter::OnLogits(size_t rows) { Add(head_, rows); }

}  // namespace cedar
