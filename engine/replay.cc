#include "engine/replay.h"

namespace cedar {

std::string_view ReplayName(Replay replay) {
  switch (replay) {
    case Replay::kBounded:
      return "bounded";
    case Replay::kExact:
      return "exact";
    case Replay::kFull:
      return "full";
  }
  return "";
}

std::optional<Replay> ParseReplay(std::string_view name) {
  for (const Replay replay : {Replay::kBounded, Replay::kExact, Replay::kFull}) {
    if (name == ReplayName(replay)) return replay;
  }
  return std::nullopt;
}

size_t ReplayReach(const ModelConfig& config, const LayerPlan& plan, Replay replay, size_t layer) {
  if (replay == Replay::kBounded) return config.window;
  // A row of the last layer depends on window - 1 rows before it in the layer below, and so on
  // down.
  const size_t layers_above = plan.layers.size() - 1 - layer;
  return config.window + layers_above * (config.window - 1);
}

size_t ReplayReach(const ModelConfig& config, const LayerPlan& plan, Replay replay) {
  if (replay == Replay::kFull) return 0;
  return ReplayReach(config, plan, replay, static_cast<size_t>(plan.first_decoder_layer));
}

}  // namespace cedar
