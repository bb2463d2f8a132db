#ifndef CEDAR_ENGINE_SCHEDULED_REQUEST_H_
#define CEDAR_ENGINE_SCHEDULED_REQUEST_H_

// What is asked of a scheduler, and by whom.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "engine/replay.h"

namespace cedar {

// The side of a request that knows what is wanted. Called from Step(), in its thread.
class RequestClient {
 public:
  virtual ~RequestClient() = default;
  // The token that follows these logits [vocab_size]; nothing ends the request.
  virtual std::optional<int32_t> Next(std::span<const float> logits) = 0;
  // Logits after a token of the prompt; only for requests that want them.
  virtual void OnPromptLogits(size_t /*position*/, std::span<const float> /*logits*/) {}
};

struct ScheduledRequest {
  std::span<const int32_t> prompt;  // not empty, ids of the vocabulary; lives as long as the client
  RequestClient* client = nullptr;
  Replay replay = Replay::kBounded;
  bool reuse = true;  // may take and leave kept prefixes
  // Ascending lengths of the prompt at which to keep a prefix, beside those of prefixes that others
  // in the queue share.
  std::vector<size_t> keep = {};
  bool prompt_logits = false;  // wants OnPromptLogits; REQUIRES: replay kFull, no reuse
  bool generate = true;        // false: it ends with its prompt, and Next() is not called
};

struct Finished {
  size_t id = 0;
  size_t cached_tokens = 0;  // of the prompt, not computed again
};

}  // namespace cedar

#endif  // CEDAR_ENGINE_SCHEDULED_REQUEST_H_
