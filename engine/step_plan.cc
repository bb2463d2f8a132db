#include "engine/step_plan.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "engine/model.h"

namespace cedar {
namespace {

class Planner {
 public:
  explicit Planner(const SchedulerState& state)
      : s_(state), window_(state.forward.model.config.window) {}

  void AddGenerated() {
    size_t room = s_.scratch.rows;
    size_t left = 0;  // requests that still want a row each
    for (const auto& request : s_.running) left += request->Generating() ? 1 : 0;
    for (const std::unique_ptr<RunningRequest>& request : s_.running) {
      if (!request->Generating()) continue;
      // One token; many only when a request that was preempted is replayed, and the others have
      // theirs.
      const size_t count = std::min(request->generated.size() - request->fed, room - --left);
      Sequence& sequence = *request->sequence;
      plan_.step.generated.push_back(
          {&sequence, sequence.tokens.size(), count, plan_.members.size()});
      plan_.members.push_back({request.get(), count, /*prompt=*/false, /*ends=*/false});
      room -= count;
    }
  }

  // Those admitted before `end` that have a state; false when the step is full.
  bool AddPrompts(const RunningRequest* end) {
    for (const std::unique_ptr<RunningRequest>& request : s_.running) {
      if (request.get() == end) break;
      if (request->prompt_done || request->sequence == nullptr) continue;
      if (!AddPrompt(*request)) return false;
    }
    return true;
  }

  PlannedStep& plan() { return plan_; }

 private:
  // Adds the request's next chunk to the step; false when the step is full.
  bool AddPrompt(RunningRequest& request) {
    const Replay replay = request.request.replay;
    const size_t decoder_room = s_.scratch.rows - plan_.step.DecoderRows(window_);
    size_t room = RoomForPrompts();
    if (replay == Replay::kFull) room = std::min(room, decoder_room);

    const size_t size = request.request.prompt.size();
    const size_t count = ChunkFor(request, room);
    const size_t end = request.encoded + count;
    // A state that is kept is one before the decoder has used up what waits for it.
    const bool kept_here = count > 0 && request.IsKeptAt(end, s_.options.keep_every);
    const bool replays =
        !kept_here && (replay != Replay::kBounded || std::min(window_, size) <= decoder_room);
    const bool last = end == size && (replay == Replay::kFull || replays);
    if (count == 0 && !last) return end == size;
    plan_.step.chunks.push_back({.sequence = request.sequence.get(),
                                 .position = request.encoded,
                                 .count = count,
                                 .replay = replay,
                                 .last = last,
                                 .owner = plan_.members.size()});
    plan_.members.push_back({&request, count, /*prompt=*/true, /*ends=*/last});
    return true;
  }

  // Rows of the encoder half that prompts may still take.
  size_t RoomForPrompts() const {
    size_t rows = 0;
    for (const PromptChunk& chunk : plan_.step.chunks) rows += chunk.count;
    return std::min(s_.options.chunk - rows, s_.scratch.rows - plan_.step.EncoderRows());
  }

  // Tokens up to the next length at which the state is kept.
  size_t ChunkFor(const RunningRequest& request, size_t room) const {
    const size_t begin = request.encoded;
    const size_t end = std::min(request.request.prompt.size(), begin + room);
    for (size_t length = begin + 1; length < end; ++length) {
      if (request.IsKeptAt(length, s_.options.keep_every)) return length - begin;
    }
    return end - begin;
  }

  const SchedulerState& s_;
  const size_t window_;
  PlannedStep plan_;
};

}  // namespace

PlannedStep PlanStep(const SchedulerState& state) {
  Planner planner(state);
  planner.AddGenerated();
  planner.AddPrompts(nullptr);
  return std::move(planner.plan());
}

bool HasRoomFor(const SchedulerState& state, const RunningRequest& request) {
  Planner planner(state);
  planner.AddGenerated();
  return planner.AddPrompts(&request);
}

}  // namespace cedar
