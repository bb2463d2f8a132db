#ifndef CEDAR_ENGINE_REPLAY_H_
#define CEDAR_ENGINE_REPLAY_H_

// What the decoder half sees of a prompt (model.md, Prefill).

#include <cstddef>
#include <optional>
#include <string_view>

namespace cedar {

enum class Replay {
  kBounded,  // the last window of tokens: what the model was post-trained for
  kExact,    // the tokens that the last position really depends on: same result as kFull
  kFull,     // every token through every layer
};

std::string_view ReplayName(Replay replay);  // "bounded", "exact", "full"
std::optional<Replay> ParseReplay(std::string_view name);

}  // namespace cedar

#endif  // CEDAR_ENGINE_REPLAY_H_
