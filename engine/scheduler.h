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
// are evicted first; then the request that came last is preempted, and later replayed exactly as it
// ran: its prompt as a prompt, its tokens as generated ones.
//
// A step has three parts: who runs (engine/admission.h), what the step holds (engine/step_plan.h),
// and what becomes of its results (engine/step_results.h).

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "engine/scheduled_request.h"
#include "engine/scheduler_options.h"

namespace cedar {

class BlockObserver;    // engine/observer.h
struct SchedulerState;  // engine/scheduler_state.h

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
  std::unique_ptr<SchedulerState> state_;
  size_t next_id_ = 0;
};

}  // namespace cedar

#endif  // CEDAR_ENGINE_SCHEDULER_H_
