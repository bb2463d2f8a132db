#ifndef CEDAR_APP_BENCH_RUNS_H_
#define CEDAR_APP_BENCH_RUNS_H_

// The runs of `cedar bench`, each in a state of its own. Tokens are random ones, the same in every
// run: what they say does not matter, and they choose their experts as real ones do.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "app/options.h"
#include "engine/engine.h"
#include "engine/meter.h"
#include "engine/scheduler.h"

namespace cedar {

class BenchRuns {
 public:
  // `engine` must outlive this. Runs every layer once, so that the weights are in memory.
  BenchRuns(const Engine& engine, const ComputeOptions& options);

  // Throw what these would throw before they begin: Error (kModel) for what does not fit the
  // memory, (kUsage) for what the model cannot hold.
  void CheckPrompt(size_t tokens, size_t depth) const;
  void CheckGenerate(size_t tokens, size_t depth) const;
  void CheckBatch(size_t parallel, size_t prompt, size_t generate) const;

  // A prompt of so many tokens after `depth` others.
  Measured Prompt(size_t tokens, size_t depth);
  // So many tokens generated after `depth` others, or after one where that is 0.
  Measured Generate(size_t tokens, size_t depth);

  struct Batch {
    Measured generated;
    double prompt_seconds = 0;  // until the last request had its first token
  };
  // Requests that run at once: each takes a prompt, then generates. Measured are the steps in which
  // all of them generate.
  Batch RunBatch(size_t parallel, size_t prompt, size_t generate);

  size_t page_size() const { return meter_.page_size(); }

 private:
  std::vector<int32_t> RandomTokens(size_t count, uint64_t seed) const;
  Session NewSession(size_t depth, size_t room) const;
  // A session that has read `depth` tokens of a prompt; the rest must follow if there is one.
  Session Begin(size_t depth, size_t room, bool last);

  // Throws Error (kModel) when that would not fit the memory.
  SchedulerOptions PlanScheduler(size_t parallel, size_t prompt, size_t generate) const;

  const Engine& engine_;
  ComputeOptions options_;
  Meter meter_;
};

}  // namespace cedar

#endif  // CEDAR_APP_BENCH_RUNS_H_
