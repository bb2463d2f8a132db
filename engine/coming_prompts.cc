#include <algorithm>

#include "engine/model.h"
#include "engine/scheduler_impl.h"

namespace cedar {

void Scheduler::Impl::PlanAhead(PlannedStep& plan) {
  if (forward_.model.config.engram.layers.empty()) return;
  // Those in this step go on first; the rest of their prompts is in their histories.
  size_t room = options_.chunk;
  for (const Planned& planned : plan.members) {
    if (!planned.prompt) continue;
    const RunningRequest& request = *planned.request;
    room -= std::min(room, request.request.prompt.size() - request.encoded - planned.tokens);
  }
  for (const std::unique_ptr<RunningRequest>& request : running_) {
    const bool in_step =
        std::ranges::find(plan.members, request.get(), &Planned::request) != plan.members.end();
    if (!request->prompt_done && !in_step) PlanComing(*request, room, plan);
  }
  for (size_t i = 0; i < waiting_.size() && room > 0; ++i) PlanComing(*waiting_[i], room, plan);
}

void Scheduler::Impl::PlanComing(RunningRequest& request, size_t& room, PlannedStep& plan) {
  if (room == 0) return;
  const std::span<const int32_t> prompt = request.request.prompt;
  const bool begun = request.sequence != nullptr;
  if (!begun && request.engrams_asked == 0) {
    request.likely_start = request.engrams_asked = SharedTokens(request, plan);
  }
  const size_t start = begun ? request.encoded : request.likely_start;
  const size_t end = std::min(prompt.size(), start + room);
  room -= end - start;
  size_t& asked = begun ? request.sequence->engrams_asked : request.engrams_asked;
  if (asked < end) plan.step.coming.push_back({prompt.first(end), &asked});
}

size_t Scheduler::Impl::SharedTokens(const RunningRequest& request, const PlannedStep& plan) {
  const std::span<const int32_t> prompt = request.request.prompt;
  size_t shared = prefixes_.LongestPrefix(request.request.replay, prompt);
  for (const std::unique_ptr<RunningRequest>& other : running_) {
    if (other.get() == &request || other->sequence == nullptr) continue;
    shared = std::max(shared, CommonPrefix(prompt, other->request.prompt));
  }
  if (plan.step.coming.empty()) return shared;
  return std::max(shared, CommonPrefix(prompt, plan.step.coming.back().tokens));
}

}  // namespace cedar
