#ifndef CEDAR_ENGINE_SCHEDULER_IMPL_H_
#define CEDAR_ENGINE_SCHEDULER_IMPL_H_

// The state of a Scheduler. Who runs is decided in scheduler.cc, what a step holds in
// scheduler_step.cc, what the next one will probably hold in scheduler_ahead.cc.

#include <deque>
#include <memory>
#include <span>
#include <vector>

#include "engine/batch_step.h"
#include "engine/forward.h"
#include "engine/global_cache.h"
#include "engine/kv_pages.h"
#include "engine/kv_store.h"
#include "engine/prefix_cache.h"
#include "engine/running_request.h"
#include "engine/scheduler.h"
#include "engine/scratch.h"
#include "engine/state_slots.h"

namespace cedar {

class Scheduler::Impl {
 public:
  Impl(const Engine& engine, const SchedulerOptions& options);

  void Add(std::unique_ptr<RunningRequest> request);
  std::vector<Finished> RunStep();
  bool Idle() const { return running_.empty() && waiting_.empty(); }
  SchedulerCounts counts() const;
  std::optional<std::string> cache_failure() const;
  void Observe(BlockObserver* observer) { forward_.observer = observer; }

 private:
  // A request in a step.
  struct Planned {
    RunningRequest* request;
    size_t tokens;  // of it in this step
    bool prompt;    // they are of its prompt
    bool ends;      // its prompt is through all layers after this step
  };
  struct PlannedStep {
    BatchStep step;
    std::vector<Planned> members;  // the owner of a chunk or a run is a number of these
  };

  // ---- who runs (scheduler.cc) ----
  void Admit();
  // Lengths at which requests that wait part from this one.
  std::vector<size_t> PartingPoints(const RunningRequest& request) const;
  // Whether another request is about to compute a prefix of this one, which then waits for it.
  bool PrefixIsComing(const RunningRequest& request);
  // Gives the request a sequence, from a kept prefix if there is one; false: no pages.
  bool Begin(RunningRequest& request);
  const Snapshot* FindPrefix(const RunningRequest& request);
  // The same from global KV alone, where it reaches beyond `length` tokens.
  bool BeginFromGlobal(RunningRequest& request, size_t length);
  bool Evict();
  // Pages for tokens that were chosen in the last step; who finds none gives way.
  void GrowGenerating();
  bool MakeRoom(size_t pages, const RunningRequest& for_whom);
  std::vector<Finished> Collect();

  // ---- what a step holds (scheduler_step.cc) ----
  PlannedStep Plan();
  void PlanGenerated(PlannedStep& plan);
  void PlanPrompts(PlannedStep& plan);
  bool PlanPrompt(RunningRequest& request, PlannedStep& plan);
  size_t ChunkFor(const RunningRequest& request, size_t room) const;
  void Run(const PlannedStep& plan);
  void KeepPrefix(RunningRequest& request);
  // What the plan's requests have done with the step.
  void Advance(const PlannedStep& plan);
  void Answer(const PlannedStep& plan, const cedar::Step& outputs);
  void HandOut(std::span<const RowRef> rows, std::span<RunningRequest* const> requests);
  bool ChooseNext(RunningRequest& request, std::span<const float> logits);

  // ---- whose Engram rows are fetched meanwhile (scheduler_ahead.cc) ----
  // Adds prompts that are not in this step and may be in the next.
  void PlanAhead(PlannedStep& plan);
  // Adds what a step with `room` would take of the prompt; the room becomes less.
  void PlanComing(RunningRequest& request, size_t& room, PlannedStep& plan);
  // Tokens of the prompt that others have asked for.
  size_t SharedTokens(const RunningRequest& request, const PlannedStep& plan);

  const SchedulerOptions options_;
  KvPages pages_;
  Scratch scratch_;
  Forward forward_;
  StateSlots slots_;  // of those that run
  PrefixCache prefixes_;
  std::unique_ptr<KvStore> store_;
  std::unique_ptr<GlobalCache> global_;
  std::deque<std::unique_ptr<RunningRequest>> waiting_;
  std::vector<std::unique_ptr<RunningRequest>>
      running_;  // in the order in which they were admitted
  SchedulerCounts counts_;
};

}  // namespace cedar

#endif  // CEDAR_ENGINE_SCHEDULER_IMPL_H_
