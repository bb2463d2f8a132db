#ifndef CEDAR_ENGINE_REPLAY_H_
#define CEDAR_ENGINE_REPLAY_H_

// What the decoder half sees of a prompt (model.md, Prefill).

#include <cstddef>
#include <optional>
#include <string_view>

#include "weights/config.h"
#include "weights/layer_plan.h"

namespace cedar {

enum class Replay {
  kBounded,  // the last window of tokens: what the model was post-trained for
  kExact,    // the tokens that the last position really depends on: same result as kFull
  kFull,     // every token through every layer
};

std::string_view ReplayName(Replay replay);  // "bounded", "exact", "full"
std::optional<Replay> ParseReplay(std::string_view name);

// How many of the last tokens of a prompt a decoder layer must see, that the last one comes out as
// the mode promises: one window for bounded replay, the cone of dependence above the layer for
// exact. REQUIRES: not kFull.
size_t ReplayReach(const ModelConfig& config, const LayerPlan& plan, Replay replay, size_t layer);

// Those of the first decoder layer, which are the most: encoder outputs that the decoder may still
// need of a prompt. None for full replay.
size_t ReplayReach(const ModelConfig& config, const LayerPlan& plan, Replay replay);

}  // namespace cedar

#endif  // CEDAR_ENGINE_REPLAY_H_
