#ifndef CEDAR_ENGINE_SCHEDULER_PLAN_H_
#define CEDAR_ENGINE_SCHEDULER_PLAN_H_

// How a scheduler divides a budget of bytes, before anything is allocated: fewer requests at once
// rather than one byte too many.

#include <cstddef>
#include <functional>
#include <optional>

#include "engine/engine.h"
#include "engine/scheduler.h"

namespace cedar {

// What the caller takes of the same budget, beside the engine.
struct CallerBytes {
  size_t fixed = 0;
  size_t per_request = 0;                              // of those that run at once
  std::function<size_t(size_t context)> of_context{};  // for one context; unset: none
};

struct SchedulerPlanOptions {
  size_t budget = 0;                // bytes
  std::optional<size_t> context{};  // unset: the largest that fits
  size_t parallel = 1;              // as many requests as fit, so many at most
  size_t chunk = kDefaultChunk;
  Replay replay = Replay::kBounded;
  bool keep_prefixes = true;
  CallerBytes caller{};
};

struct SchedulerPlan {
  SchedulerOptions scheduler;  // context, chunk, parallel, replay, pages and prefix_bytes are set
  size_t bytes = 0;            // in all; more than the budget if not even one request fits
};

SchedulerPlan PlanScheduler(const Engine& engine, const SchedulerPlanOptions& options);

}  // namespace cedar

#endif  // CEDAR_ENGINE_SCHEDULER_PLAN_H_
