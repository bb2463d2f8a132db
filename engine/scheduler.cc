#include "engine/scheduler.h"

#include <utility>

#include "engine/admission.h"
#include "engine/batch_step.h"
#include "engine/coming_prompts.h"
#include "engine/scheduler_state.h"
#include "engine/step_plan.h"
#include "engine/step_results.h"
#include "simd/error.h"

namespace cedar {
namespace {

// Puts the generated tokens of a step into the histories of their sequences.
void AppendGenerated(const PlannedStep& plan) {
  for (const StepMember& member : plan.members) {
    if (member.prompt) continue;
    const RunningRequest& request = *member.request;
    const auto first = request.generated.begin() + static_cast<long>(request.fed);
    std::vector<int32_t>& tokens = request.sequence->tokens;
    tokens.insert(tokens.end(), first, first + static_cast<long>(member.tokens));
  }
}

}  // namespace

Scheduler::Scheduler(const Engine& engine, const SchedulerOptions& options)
    : state_(std::make_unique<SchedulerState>(engine, options)) {}

Scheduler::~Scheduler() = default;

size_t Scheduler::Add(ScheduledRequest request) {
  CEDAR_CHECK(!request.prompt.empty());
  CEDAR_CHECK(request.prompt.size() < state_->options.context);
  auto added = std::make_unique<RunningRequest>();
  added->id = next_id_++;
  added->request = std::move(request);
  state_->waiting.push_back(std::move(added));
  return state_->waiting.back()->id;
}

std::vector<Finished> Scheduler::Step() {
  SchedulerState& s = *state_;
  Admit(s);
  PlannedStep plan = PlanStep(s);
  plan.step.coming = ComingPrompts(s, plan);
  AppendGenerated(plan);
  const StepOutputs outputs = RunBatchStep(s.forward, plan.step);
  // A step that gets nothing done would be followed by the same one for ever.
  CEDAR_CHECK(s.running.empty() || plan.step.EncoderRows() + outputs.decoder_rows > 0);
  return TakeResults(s, plan, outputs);
}

bool Scheduler::Idle() const { return state_->running.empty() && state_->waiting.empty(); }

SchedulerCounts Scheduler::counts() const {
  SchedulerCounts counts = state_->counts;
  counts.running = state_->running.size();
  counts.waiting = state_->waiting.size();
  counts.pages_in_use = state_->pages.capacity() - state_->pages.free();
  counts.prefix_bytes = state_->prefixes.bytes();
  return counts;
}

std::optional<std::string> Scheduler::cache_failure() const {
  return state_->store == nullptr ? std::nullopt : state_->store->failure();
}

void Scheduler::Observe(BlockObserver* observer) { state_->forward.observer = observer; }

}  // namespace cedar
