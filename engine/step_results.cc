#include <algorithm>
#include <utility>

#include "engine/engram_fetch.h"
#include "engine/model.h"
#include "engine/output_head.h"
#include "engine/scheduler_impl.h"
#include "simd/error.h"

namespace cedar {
namespace {

// Whether others want the state at this length of the prompt.
bool IsKeepPoint(const RunningRequest& request, size_t length, size_t keep_every) {
  if (!request.request.reuse || request.inexact) return false;
  return std::binary_search(request.keep.begin(), request.keep.end(), length) ||
         (keep_every > 0 && length % keep_every == 0 && length < request.request.prompt.size());
}

}  // namespace

Scheduler::Impl::PlannedStep Scheduler::Impl::Plan() {
  PlannedStep plan;
  PlanGenerated(plan);
  PlanPrompts(plan);
  PlanAhead(plan);
  return plan;
}

void Scheduler::Impl::PlanGenerated(PlannedStep& plan) {
  size_t room = scratch_.rows;
  size_t left = 0;  // requests that still want a row each
  for (const auto& request : running_) left += request->Generating() ? 1 : 0;
  for (const std::unique_ptr<RunningRequest>& request : running_) {
    if (!request->Generating()) continue;
    // One token; many only when a request that gave way is replayed, and the others have theirs.
    const size_t count = std::min(request->generated.size() - request->fed, room - --left);
    Sequence& sequence = *request->sequence;
    const auto first = request->generated.begin() + static_cast<long>(request->fed);
    plan.step.generated.push_back({&sequence, sequence.tokens.size(), count, plan.members.size()});
    sequence.tokens.insert(sequence.tokens.end(), first, first + static_cast<long>(count));
    plan.members.push_back({request.get(), count, /*prompt=*/false, /*ends=*/false});
    room -= count;
  }
}

void Scheduler::Impl::PlanPrompts(PlannedStep& plan) {
  for (const std::unique_ptr<RunningRequest>& request : running_) {
    if (request->prompt_done) continue;
    if (request->sequence == nullptr) {
      if (PrefixIsComing(*request)) continue;
      if (!Begin(*request)) return;
    }
    if (!PlanPrompt(*request, plan)) return;
  }
}

// Adds the request's next chunk to the step; false when the step is full.
bool Scheduler::Impl::PlanPrompt(RunningRequest& request, PlannedStep& plan) {
  size_t prompt_rows = 0;
  for (const PromptChunk& chunk : plan.step.chunks) prompt_rows += chunk.count;
  const size_t window = forward_.model.config.window;
  const bool full = request.request.replay == Replay::kFull;
  size_t room = std::min(options_.chunk - prompt_rows, scratch_.rows - plan.step.EncoderRows());
  const size_t decoder_room = scratch_.rows - plan.step.DecoderRows(window);
  if (full) room = std::min(room, decoder_room);

  const size_t size = request.request.prompt.size();
  const size_t count = ChunkFor(request, room);
  const size_t end = request.encoded + count;
  // A state that is kept is one before the decoder has used up what waits for it.
  const bool kept_here = count > 0 && IsKeepPoint(request, end, options_.keep_every);
  const bool has_room =
      request.request.replay != Replay::kBounded || std::min(window, size) <= decoder_room;
  const bool last = end == size && (full || (!kept_here && has_room));
  if (count == 0 && !last) return end == size;
  plan.step.chunks.push_back({.sequence = request.sequence.get(),
                              .position = request.encoded,
                              .count = count,
                              .replay = request.request.replay,
                              .last = last,
                              .owner = plan.members.size()});
  plan.members.push_back({&request, count, /*prompt=*/true, /*ends=*/last});
  return true;
}

size_t Scheduler::Impl::ChunkFor(const RunningRequest& request, size_t room) const {
  const size_t begin = request.encoded;
  const size_t end = std::min(request.request.prompt.size(), begin + room);
  for (size_t length = begin + 1; length < end; ++length) {
    if (IsKeepPoint(request, length, options_.keep_every)) return length - begin;
  }
  return end - begin;
}

void Scheduler::Impl::Run(const PlannedStep& plan) {
  const StepOutputs outputs = RunBatchStep(forward_, plan.step);
  counts_.encoder_rows += plan.step.EncoderRows();
  counts_.decoder_rows += outputs.decoder_rows;
  Advance(plan);
  Answer(plan, outputs.step);
}

void Scheduler::Impl::Advance(const PlannedStep& plan) {
  for (const Planned& planned : plan.members) {
    RunningRequest& request = *planned.request;
    if (!planned.prompt) {
      request.fed += planned.tokens;
      counts_.fed_tokens += planned.tokens;
      continue;
    }
    request.encoded += planned.tokens;
    request.prompt_done = planned.ends;
    if (planned.tokens == 0 || request.inexact || !request.request.reuse) continue;
    if (IsKeepPoint(request, request.encoded, options_.keep_every)) KeepPrefix(request);
    if (global_ != nullptr) {
      global_->Keep(*request.sequence, request.request.prompt, request.encoded);
    }
  }
}

void Scheduler::Impl::KeepPrefix(RunningRequest& request) {
  const std::span<const int32_t> prompt = request.request.prompt;
  prefixes_.Keep(request.request.replay, prompt.first(request.encoded), *request.sequence);
  std::erase(request.keep, request.encoded);
}

// Logits for those whose prompt ended in this step and those whose generated tokens are all
// through.
void Scheduler::Impl::Answer(const PlannedStep& plan, const cedar::Step& outputs) {
  std::vector<RowRef> rows;
  std::vector<RunningRequest*> requests;
  for (const Segment& segment : outputs.segments) {
    RunningRequest& request = *plan.members[segment.owner].request;
    const bool answers = request.prompt_done && request.fed == request.generated.size();
    for (size_t row = 0; row < segment.count; ++row) {
      const bool last = row + 1 == segment.count;
      if (!(last && answers) && !request.request.prompt_logits) continue;
      rows.push_back({&segment, row});
      requests.push_back(&request);
    }
  }
  for (size_t first = 0; first < rows.size(); first += kLogitRows) {
    const size_t count = std::min(kLogitRows, rows.size() - first);
    HandOut(std::span<const RowRef>(rows).subspan(first, count),
            std::span<RunningRequest* const>(requests).subspan(first, count));
  }
}

// False when the client wants no more.
bool Scheduler::Impl::ChooseNext(RunningRequest& request, std::span<const float> logits) {
  ++counts_.generated_tokens;
  const std::optional<int32_t> next = request.request.client->Next(logits);
  if (next) request.generated.push_back(*next);
  return next.has_value();
}

void Scheduler::Impl::HandOut(std::span<const RowRef> rows,
                              std::span<RunningRequest* const> requests) {
  ComputeLogits(forward_, rows);
  const size_t vocab = forward_.model.config.vocab;
  std::vector<DrawnToken> drawn;
  for (size_t i = 0; i < rows.size(); ++i) {
    RunningRequest& request = *requests[i];
    const std::span<const float> logits(scratch_.logits + i * vocab, vocab);
    const size_t position = rows[i].position(), size = request.request.prompt.size();
    if (request.request.prompt_logits && position < size) {
      request.request.client->OnPromptLogits(position, logits);
    }
    if (position + 1 < size || request.fed < request.generated.size()) continue;
    request.ended = !request.request.generate || !ChooseNext(request, logits);
    if (!request.ended) drawn.push_back({request.sequence.get(), request.generated.back()});
  }
  FetchDrawnEngrams(forward_, drawn);
}

}  // namespace cedar
