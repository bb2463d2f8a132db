#ifndef CEDAR_ENGINE_SCHEDULER_H_
#define CEDAR_ENGINE_SCHEDULER_H_

// Continuous batching: many requests share an engine, entering and leaving at any step. Each step
// holds the next token of every request that generates and a chunk of the prompts that wait.
//
//   Scheduler scheduler(engine, options);
//   scheduler.Add({.prompt = ids, .client = &client});
//   while (!scheduler.Idle()) for (const Finished& done : scheduler.Step()) ...
//
// A request's results do not depend on its company. When pages of global KV run out, kept prefixes
// go first; then the request that came last gives way, and is later replayed exactly as it ran: its
// prompt as a prompt, its tokens as generated ones.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/engine.h"
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
  // Ascending lengths of the prompt at which to keep a prefix, beside those at which others that
  // are queued part from it.
  std::vector<size_t> keep = {};
  bool prompt_logits = false;  // wants OnPromptLogits; REQUIRES: replay kFull, no reuse
  bool generate = true;        // false: it ends with its prompt, and Next() is not called
};

struct Finished {
  size_t id = 0;
  size_t cached_tokens = 0;  // of the prompt, not computed again
};

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
  size_t gave_way = 0;          // requests that were stopped for others
  size_t running = 0;
  size_t waiting = 0;
  size_t pages_in_use = 0;
  size_t prefix_bytes = 0;
};

class Scheduler {
 public:
  // Throws Error (kModel) when the memory is not to be had.
  Scheduler(const Engine& engine, const SchedulerOptions& options);
  ~Scheduler();

  // Queues a request and gives it a number. Requests start in the order in which they were added;
  // adding those of a common prefix one after the other lets them share it. The client must live
  // until the request is finished. prompt and what the client generates must fit the context.
  size_t Add(ScheduledRequest request);

  // One step for all that run; returns the requests that ended with it.
  std::vector<Finished> Step();

  bool Idle() const;
  SchedulerCounts counts() const;
  // Why nothing more is written to the cache directory, if so.
  std::optional<std::string> cache_failure() const;

  // For measurements; null stops it.
  void Observe(BlockObserver* observer);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
  size_t next_id_ = 0;
};

}  // namespace cedar

#endif  // CEDAR_ENGINE_SCHEDULER_H_
