#ifndef CEDAR_ENGINE_RUNNING_REQUEST_H_
#define CEDAR_ENGINE_RUNNING_REQUEST_H_

// A request on its way through the scheduler.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "engine/scheduled_request.h"
#include "engine/sequence.h"

namespace cedar {

// Tokens at the beginning of both.
inline size_t CommonPrefix(std::span<const int32_t> a, std::span<const int32_t> b) {
  return static_cast<size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
}

struct RunningRequest {
  size_t id = 0;
  ScheduledRequest request;
  std::vector<int32_t> generated;  // tokens that the client chose

  // While it runs; null while it waits.
  std::unique_ptr<Sequence> sequence;
  size_t encoded = 0;        // prompt tokens through the encoder half
  bool prompt_done = false;  // the decoder half too
  size_t fed = 0;            // generated tokens through all layers
  std::vector<size_t> keep;  // ascending lengths of prefixes of its prompt that others share

  // Before it has a sequence: where it will probably start, and the prompt tokens up to which
  // Engram rows were asked for (Sequence::engrams_asked).
  size_t likely_start = 0;
  size_t engrams_asked = 0;

  size_t cached = 0;     // prompt tokens that were restored when it first started
  bool inexact = false;  // started from global KV alone: what it computes is kept for nobody
  bool started = false;
  bool ended = false;  // the client wants no more

  bool Encoding() const { return encoded < request.prompt.size(); }
  bool Generating() const { return prompt_done && fed < generated.size(); }

  // How much of its prompt it may restore: a full replay needs the last token's own streams.
  size_t MostRestored() const {
    return request.prompt.size() - (request.replay == Replay::kFull ? 1 : 0);
  }
  // Whether its state is kept for others at this length of the prompt. keep_every: as in
  // SchedulerOptions.
  bool IsKeptAt(size_t length, size_t keep_every) const {
    if (!request.reuse || inexact) return false;
    return std::binary_search(keep.begin(), keep.end(), length) ||
           (keep_every > 0 && length % keep_every == 0 && length < request.prompt.size());
  }
  // Its state will be kept at this length too.
  void KeepAt(size_t length) {
    const auto at = std::lower_bound(keep.begin(), keep.end(), length);
    if (at == keep.end() || *at != length) keep.insert(at, length);
  }

  // Gives up its state; what the client chose stays.
  void Preempt() {
    sequence.reset();
    encoded = fed = 0;
    prompt_done = false;
  }
};

}  // namespace cedar

#endif  // CEDAR_ENGINE_RUNNING_REQUEST_H_
