#ifndef CEDAR_ENGINE_SCHEDULER_STATE_H_
#define CEDAR_ENGINE_SCHEDULER_STATE_H_

// What the three parts of a scheduler work on (engine/scheduler.h).

#include <deque>
#include <memory>
#include <vector>

#include "engine/engine.h"
#include "engine/forward.h"
#include "engine/global_cache.h"
#include "engine/kv_pages.h"
#include "engine/kv_store.h"
#include "engine/prefix_cache.h"
#include "engine/running_request.h"
#include "engine/scheduler_options.h"
#include "engine/scratch.h"
#include "engine/state_slots.h"

namespace cedar {

struct SchedulerState {
  // Throws Error (kModel) when the memory is not to be had.
  SchedulerState(const Engine& engine, const SchedulerOptions& options);

  const SchedulerOptions options;
  KvPages pages;
  Scratch scratch;
  Forward forward;
  StateSlots slots;  // of those that run
  PrefixCache prefixes;
  std::unique_ptr<KvStore> store;       // null without a cache directory
  std::unique_ptr<GlobalCache> global;  // null unless global KV is reused
  std::deque<std::unique_ptr<RunningRequest>> waiting;
  std::vector<std::unique_ptr<RunningRequest>> running;  // in the order of admission
  SchedulerCounts counts;  // without what the members above tell (Scheduler::counts)
};

}  // namespace cedar

#endif  // CEDAR_ENGINE_SCHEDULER_STATE_H_
