#include "engine/step_results.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <span>

#include "engine/engram_fetch.h"
#include "engine/model.h"
#include "engine/output_head.h"

namespace cedar {
namespace {

class Results {
 public:
  explicit Results(SchedulerState& state) : s_(state) {}

  // Notes what each request has done, and keeps the states that others share.
  void Advance(const PlannedStep& plan) {
    for (const StepMember& member : plan.members) {
      RunningRequest& request = *member.request;
      if (!member.prompt) {
        request.fed += member.tokens;
        s_.counts.fed_tokens += member.tokens;
        continue;
      }
      request.encoded += member.tokens;
      request.prompt_done = member.ends;
      if (member.tokens > 0 && !request.inexact && request.request.reuse) Keep(request);
    }
  }

  // Logits for those whose prompt ended in this step, those whose generated tokens are all through,
  // and those that want them of every token of their prompt.
  void Answer(const PlannedStep& plan, const Step& outputs) {
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

  std::vector<Finished> CollectEnded() {
    std::vector<Finished> finished;
    std::erase_if(s_.running, [&](const std::unique_ptr<RunningRequest>& request) {
      if (!request->ended) return false;
      finished.push_back({request->id, request->cached});
      s_.counts.cached_tokens += request->cached;
      s_.counts.prompt_tokens += request->request.prompt.size();
      return true;
    });
    return finished;
  }

 private:
  void Keep(RunningRequest& request) {
    const std::span<const int32_t> prompt = request.request.prompt;
    if (request.IsKeptAt(request.encoded, s_.options.keep_every)) {
      s_.prefixes.Keep(request.request.replay, prompt.first(request.encoded), *request.sequence);
      std::erase(request.keep, request.encoded);
    }
    if (s_.global != nullptr) s_.global->Keep(*request.sequence, prompt, request.encoded);
  }

  void HandOut(std::span<const RowRef> rows, std::span<RunningRequest* const> requests) {
    ComputeLogits(s_.forward, rows);
    const size_t vocab = s_.forward.model.config.vocab;
    std::vector<DrawnToken> drawn;
    for (size_t i = 0; i < rows.size(); ++i) {
      RunningRequest& request = *requests[i];
      const std::span<const float> logits(s_.scratch.logits + i * vocab, vocab);
      const size_t position = rows[i].position(), size = request.request.prompt.size();
      if (request.request.prompt_logits && position < size) {
        request.request.client->OnPromptLogits(position, logits);
      }
      if (position + 1 < size || request.fed < request.generated.size()) continue;
      request.ended = !request.request.generate || !ChooseNext(request, logits);
      if (!request.ended) drawn.push_back({request.sequence.get(), request.generated.back()});
    }
    FetchDrawnEngrams(s_.forward, drawn);
  }

  // False when the client wants no more.
  bool ChooseNext(RunningRequest& request, std::span<const float> logits) {
    ++s_.counts.generated_tokens;
    const std::optional<int32_t> next = request.request.client->Next(logits);
    if (next) request.generated.push_back(*next);
    return next.has_value();
  }

  SchedulerState& s_;
};

}  // namespace

std::vector<Finished> TakeResults(SchedulerState& state, const PlannedStep& plan,
                                  const StepOutputs& outputs) {
  Results results(state);
  state.counts.encoder_rows += plan.step.EncoderRows();
  state.counts.decoder_rows += outputs.decoder_rows;
  results.Advance(plan);
  results.Answer(plan, outputs.step);
  return results.CollectEnded();
}

}  // namespace cedar
