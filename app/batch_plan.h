#ifndef CEDAR_APP_BATCH_PLAN_H_
#define CEDAR_APP_BATCH_PLAN_H_

// How a batch divides its memory, before anything is allocated: fewer requests at once rather than
// one byte too many.

#include <cstddef>
#include <optional>
#include <string>

#include "engine/engine.h"
#include "engine/scheduler.h"

namespace cedar {

struct BatchPlanOptions {
  std::optional<size_t> context;   // unset: the largest that fits
  std::optional<size_t> parallel;  // unset: as many as fit, kDefaultParallel at most
  std::optional<size_t> memory;    // bytes; unset: a share of what the machine has available
  size_t chunk = kDefaultChunk;
  Replay replay = Replay::kBounded;
  bool keep_prefixes = true;
  size_t program = 0;     // bytes that the process has taken already: code, tokenizer, open files
  size_t lines = 0;       // of the input, as far as known: their names are remembered
  size_t document = 0;    // bytes of the longest that may come, if any
  bool truncate = false;  // even one that cannot fit becomes tokens
};

inline constexpr size_t kDefaultParallel = 32;

struct BatchPlan {
  SchedulerOptions scheduler;  // context, chunk, parallel, pages and prefix_bytes are set
  size_t line_bytes = 0;       // for lines that were read and are not answered yet
  size_t grammar_bytes = 0;    // for grammars that are kept
  size_t bytes = 0;            // in all
  size_t budget = 0;
};

// Throws Error (kModel) when not even one request fits, saying what would.
BatchPlan PlanBatch(const Engine& engine, const BatchPlanOptions& options);

// "32 requests at once, 65536 positions each, 1.2 GB of 3.4 GB": for people.
std::string PlanText(const BatchPlan& plan);

}  // namespace cedar

#endif  // CEDAR_APP_BATCH_PLAN_H_
