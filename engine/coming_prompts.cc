#include "engine/coming_prompts.h"

#include <algorithm>
#include <memory>
#include <span>
#include <utility>

#include "engine/model.h"

namespace cedar {
namespace {

class Coming {
 public:
  // room: tokens that the next step can take.
  Coming(SchedulerState& state, size_t room) : s_(state), room_(room) {}

  bool has_room() const { return room_ > 0; }

  // Adds what the next step would take of the prompt.
  void Add(RunningRequest& request) {
    if (room_ == 0) return;
    const std::span<const int32_t> prompt = request.request.prompt;
    const bool begun = request.sequence != nullptr;
    if (!begun && request.engrams_asked == 0) {
      request.likely_start = request.engrams_asked = SharedTokens(request);
    }
    const size_t start = begun ? request.encoded : request.likely_start;
    const size_t end = std::min(prompt.size(), start + room_);
    room_ -= end - start;
    size_t& asked = begun ? request.sequence->engrams_asked : request.engrams_asked;
    if (asked < end) coming_.push_back({prompt.first(end), &asked});
  }

  std::vector<ComingTokens>& coming() { return coming_; }

 private:
  // Tokens of the prompt that others have asked for.
  size_t SharedTokens(const RunningRequest& request) const {
    const std::span<const int32_t> prompt = request.request.prompt;
    size_t shared = s_.prefixes.LongestPrefix(request.request.replay, prompt);
    for (const std::unique_ptr<RunningRequest>& other : s_.running) {
      if (other.get() == &request || other->sequence == nullptr) continue;
      shared = std::max(shared, CommonPrefix(prompt, other->request.prompt));
    }
    if (coming_.empty()) return shared;
    return std::max(shared, CommonPrefix(prompt, coming_.back().tokens));
  }

  SchedulerState& s_;
  size_t room_;
  std::vector<ComingTokens> coming_;
};

}  // namespace

std::vector<ComingTokens> ComingPrompts(SchedulerState& state, const PlannedStep& plan) {
  if (state.forward.model.config.engram.layers.empty()) return {};
  // Those in this step go on first; the rest of their prompts is in their histories.
  size_t room = state.options.chunk;
  for (const StepMember& member : plan.members) {
    if (!member.prompt) continue;
    const RunningRequest& request = *member.request;
    room -= std::min(room, request.request.prompt.size() - request.encoded - member.tokens);
  }
  Coming coming(state, room);
  for (const std::unique_ptr<RunningRequest>& request : state.running) {
    const bool in_step =
        std::ranges::find(plan.members, request.get(), &StepMember::request) != plan.members.end();
    if (!request->prompt_done && !in_step) coming.Add(*request);
  }
  for (size_t i = 0; i < state.waiting.size() && coming.has_room(); ++i) {
    coming.Add(*state.waiting[i]);
  }
  return std::move(coming.coming());
}

}  // namespace cedar
