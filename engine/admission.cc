#include "engine/admission.h"

#include <algorithm>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include "engine/batch_step.h"
#include "engine/model.h"
#include "engine/step_plan.h"
#include "simd/error.h"

namespace cedar {
namespace {

// Requests of the queue that are looked at for shared prefixes: neighbours share the longest ones.
constexpr size_t kLookAhead = 256;
// A shorter prefix is computed again sooner than it is restored.
constexpr size_t kLeastKept = 16;

using Tokens = std::span<const int32_t>;

bool MayShare(const RunningRequest& a, const RunningRequest& b) {
  return a.request.reuse && b.request.reuse && a.request.replay == b.request.replay;
}

// Tokens that `request` could take over from a kept prefix of `other`.
size_t SharedPrefix(const RunningRequest& request, const RunningRequest& other) {
  return std::min(CommonPrefix(request.request.prompt, other.request.prompt),
                  request.MostRestored());
}

class Admission {
 public:
  explicit Admission(SchedulerState& state) : s_(state) {}

  void TakeFromQueue() {
    while (s_.running.size() < s_.options.parallel && !s_.waiting.empty()) {
      std::unique_ptr<RunningRequest> request = std::move(s_.waiting.front());
      s_.waiting.pop_front();
      request->keep = SharedWithQueue(*request);
      s_.running.push_back(std::move(request));
    }
  }

  // Those that came last are preempted, down to the one that asks.
  void GrowGenerating() {
    for (size_t i = 0; i < s_.running.size(); ++i) {
      RunningRequest& request = *s_.running[i];
      if (!request.Generating()) continue;
      const size_t positions = request.request.prompt.size() + request.generated.size();
      CEDAR_CHECK(positions <= s_.options.context);
      const size_t missing = request.sequence->PagesMissing(positions);
      bool here = true;
      while (here && s_.pages.free() < missing) {
        if (Evict()) continue;
        here = s_.running.back().get() != &request;
        PreemptLast();
      }
      if (here) request.sequence->Grow(positions);
    }
  }

  void BeginPrompts() {
    for (const std::unique_ptr<RunningRequest>& request : s_.running) {
      if (request->sequence != nullptr) continue;
      if (const auto coming = WaitsForSharedPrefix(*request)) {
        coming->computes->KeepAt(coming->length);
        continue;
      }
      if (!HasRoomFor(s_, *request) || !Begin(*request)) return;
    }
  }

 private:
  // A prefix that a request computes and another one waits for.
  struct ComingPrefix {
    RunningRequest* computes;
    size_t length;
  };

  // Lengths of prefixes that requests in the queue share with this one, and what it asks for
  // itself.
  std::vector<size_t> SharedWithQueue(const RunningRequest& request) const {
    if (!request.request.reuse) return {};
    std::set<size_t> lengths(request.request.keep.begin(), request.request.keep.end());
    for (size_t i = 0; i < std::min(s_.waiting.size(), kLookAhead); ++i) {
      if (!MayShare(request, *s_.waiting[i])) continue;
      const size_t shared = SharedPrefix(request, *s_.waiting[i]);
      if (shared >= kLeastKept) lengths.insert(shared);
    }
    return {lengths.begin(), lengths.end()};
  }

  // Whether another request is about to compute more of this one's prompt than is kept.
  std::optional<ComingPrefix> WaitsForSharedPrefix(const RunningRequest& request) const {
    if (!request.request.reuse) return std::nullopt;
    const size_t kept = s_.prefixes.LongestPrefix(request.request.replay, request.request.prompt);
    for (const std::unique_ptr<RunningRequest>& other : s_.running) {
      if (other.get() == &request) break;  // those before it only: no two wait for each other
      if (!other->Encoding() || !MayShare(request, *other)) continue;
      const size_t shared = SharedPrefix(request, *other);
      if (shared < kLeastKept || shared <= kept || shared <= other->encoded) continue;
      return ComingPrefix{other.get(), shared};
    }
    return std::nullopt;
  }

  const Snapshot* FindPrefix(const RunningRequest& request) {
    if (!request.request.reuse) return nullptr;
    const Tokens prompt = request.request.prompt;
    return s_.prefixes.Find(request.request.replay, prompt.first(request.MostRestored()));
  }

  // Gives the request a sequence, from a kept prefix if there is one; false: no pages.
  bool Begin(RunningRequest& request) {
    const Tokens prompt = request.request.prompt;
    const size_t positions = prompt.size() + request.generated.size() + 1;
    const size_t total = s_.pages.layout().PagesFor(positions);
    const Snapshot* prefix = FindPrefix(request);
    // A page of the prefix that is shared whole need not be taken.
    while (s_.pages.free() + (prefix == nullptr ? 0 : prefix->WholePages()) < total) {
      if (!Evict()) return false;
      prefix = FindPrefix(request);
    }
    const Model& model = s_.forward.model;
    request.sequence = std::make_unique<Sequence>(
        model.config, model.plan, s_.pages, s_.options.context, request.request.replay, &s_.slots);
    const size_t kept = prefix == nullptr ? 0 : prefix->position();
    if (!BeginFromGlobal(request, kept) && prefix != nullptr) {
      prefix->RestoreTo(*request.sequence);
      request.encoded = kept;
    }
    request.sequence->tokens.assign(prompt.begin(), prompt.end());
    request.sequence->engrams_asked = std::max(request.encoded, request.engrams_asked);
    request.sequence->Grow(positions);
    if (!request.started) request.cached = request.encoded;
    request.started = true;
    return true;
  }

  // The same from global KV alone, where it reaches beyond `length` tokens.
  bool BeginFromGlobal(RunningRequest& request, size_t length) {
    const bool may =
        s_.global != nullptr && request.request.reuse && request.request.replay == Replay::kBounded;
    if (!may) return false;
    Tokens prompt = request.request.prompt;
    if (request.started) {
      // One that was preempted starts as it did before, or it would not be replayed exactly.
      prompt = prompt.first(request.inexact ? request.cached : 0);
      length = 0;
    }
    if (s_.global->LongestPrefix(prompt) <= length) return false;
    Sequence& sequence = *request.sequence;
    const size_t restored = s_.global->RestoreTo(sequence, prompt);
    if (restored == 0) return false;
    sequence.tokens.assign(prompt.begin(), prompt.begin() + static_cast<long>(restored));
    RebuildWindows(s_.forward, sequence);
    s_.counts.encoder_rows += std::min(restored, s_.forward.model.config.window);
    request.encoded = restored;
    request.inexact = true;
    return true;
  }

  // Frees a page or a state that is only kept; false when there is none.
  bool Evict() { return s_.prefixes.Evict() || (s_.global != nullptr && s_.global->Evict()); }

  void PreemptLast() {
    s_.running.back()->Preempt();
    ++s_.counts.preempted;
    s_.waiting.push_front(std::move(s_.running.back()));
    s_.running.pop_back();
  }

  SchedulerState& s_;
};

}  // namespace

void Admit(SchedulerState& state) {
  Admission admission(state);
  admission.TakeFromQueue();
  admission.GrowGenerating();
  admission.BeginPrompts();
}

}  // namespace cedar
