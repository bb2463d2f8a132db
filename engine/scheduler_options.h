#ifndef CEDAR_ENGINE_SCHEDULER_OPTIONS_H_
#define CEDAR_ENGINE_SCHEDULER_OPTIONS_H_

// What a scheduler may take, and what it counts.

#include <cstddef>
#include <string>

#include "engine/plan_options.h"
#include "engine/replay.h"
#include "weights/config.h"

namespace cedar {

struct SchedulerOptions {
  size_t context = 0;  // most positions of one request
  size_t chunk = kDefaultChunk;
  size_t parallel = 1;             // most requests that run at once
  Replay replay = Replay::kExact;  // the mode with the longest reach that a request will ask for
  size_t pages = 0;                // of global KV; at least those of one context and one more
  size_t prefix_bytes = 0;         // for the states of kept prefixes, without their pages
  size_t keep_every = 0;           // also keep a prefix each time so many tokens are done; 0: never

  // Also start from global KV alone, where it reaches further than a kept prefix: near the results
  // of a cold start, not equal to them (engine/global_cache.h).
  bool reuse_global = false;
  std::string cache_directory{};  // where that is kept for later runs; empty: nowhere
  size_t cache_bytes = 0;         // cap of what is kept there
};

// Rows of the largest step: a chunk and a token of each request, and the replay of a prompt's last
// window at least. The scratch is laid out for so many.
size_t RowsOfStep(const ModelConfig& config, size_t chunk, size_t parallel);

// What was done so far.
struct SchedulerCounts {
  size_t encoder_rows = 0;  // rows through the encoder half
  size_t decoder_rows = 0;  // rows through the decoder half, replays included
  size_t prompt_tokens = 0;
  size_t cached_tokens = 0;
  size_t generated_tokens = 0;  // chosen, those that ended their request among them
  size_t fed_tokens = 0;        // generated tokens that went through all layers
  size_t preempted = 0;         // requests that were stopped for others
  size_t running = 0;
  size_t waiting = 0;
  size_t pages_in_use = 0;
  size_t prefix_bytes = 0;
};

}  // namespace cedar

#endif  // CEDAR_ENGINE_SCHEDULER_OPTIONS_H_
