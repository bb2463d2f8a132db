// A Session is a batch of one (engine/batch_step.h).

#include <algorithm>
#include <string>
#include <utility>

#include "engine/batch_step.h"
#include "engine/engine.h"
#include "engine/engram_fetch.h"
#include "engine/forward.h"
#include "engine/memory_plan.h"
#include "engine/model.h"
#include "engine/output_head.h"
#include "engine/scratch.h"
#include "engine/sequence.h"
#include "simd/error.h"
#include "simd/memory.h"
#include "simd/quantities.h"

namespace cedar {
namespace {

PlanOptions PlanFor(const Model& model, const SessionOptions& options) {
  const size_t context = options.context > 0 ? options.context : model.config.max_positions;
  return {.context = context,
          .parallel = 1,
          .chunk = std::clamp<size_t>(options.chunk, 1, context),
          .replay = options.replay,
          .threads = model.workers.threads(),
          .isa = model.kernels.isa};
}

// Refuses what would not fit, before anything is allocated.
void CheckMemory(const Model& model, const PlanOptions& options) {
  if (options.context > model.config.max_positions) {
    throw Error(ErrorKind::kUsage, "a context of " + std::to_string(options.context) +
                                       " positions: the model has " +
                                       std::to_string(model.config.max_positions));
  }
  const size_t wanted = PlanMemory(model.config, model.plan, options).total;
  const simd::MemoryRoom room = simd::RoomOfMemory();
  if (room.bytes > 0 && wanted > room.bytes) {
    throw Error(ErrorKind::kModel,
                "memory: a context of " + std::to_string(options.context) + " positions needs " +
                    FormatBytes(static_cast<double>(wanted)) + ": found " + RoomText(room));
  }
}

size_t PagesFor(const Model& model, const PlanOptions& options) {
  CheckMemory(model, options);
  return KvPageLayout(model.config, model.plan).PagesFor(options.context);
}

}  // namespace

struct SessionState {
  SessionState(const Model& model, const PlanOptions& options)
      : replay(options.replay),
        plan_bytes(PlanMemory(model.config, model.plan, options).total),
        pages(KvPageLayout(model.config, model.plan), PagesFor(model, options)),
        sequence(model.config, model.plan, pages, options.context, options.replay),
        scratch(model.config, model.plan, options),
        forward{model, scratch} {
    sequence.tokens.reserve(options.context);
  }

  const ModelConfig& config() const { return forward.model.config; }

  // Calls chunk(position, count) for the tokens from `begin` on, a chunk at a time.
  template <typename F>
  void ForChunks(size_t begin, F chunk) {
    for (size_t at = begin; at < sequence.tokens.size();) {
      const size_t count = std::min(scratch.rows, sequence.tokens.size() - at);
      chunk(at, count);
      at += count;
    }
  }

  // A step of this sequence alone.
  StepOutputs RunChunk(size_t position, size_t count, bool last) {
    const PromptChunk chunk{&sequence, position, count, replay, last};
    return RunBatchStep(forward, {.chunks = {chunk}});
  }

  // Logits of `count` rows of a segment, from its row `first` on.
  void LogitsOf(const Segment& segment, size_t first, size_t count) {
    std::vector<RowRef> rows;
    for (size_t i = 0; i < count; ++i) rows.push_back({&segment, first + i});
    ComputeLogits(forward, rows);
    last_logits = scratch.logits + (count - 1) * config().vocab;
  }

  Replay replay;
  size_t plan_bytes;
  KvPages pages;
  Sequence sequence;
  Scratch scratch;
  Forward forward;
  const float* last_logits = scratch.logits;  // of the last token
};

namespace {

void CheckTokens(const SessionState& s, std::span<const int32_t> tokens) {
  for (const int32_t id : tokens) {
    if (id >= 0 && static_cast<size_t>(id) < s.config().vocab) continue;
    throw Error(ErrorKind::kInput, "token id " + std::to_string(id) + ": expected 0 to " +
                                       std::to_string(s.config().vocab - 1));
  }
}

// Adds tokens to the history, all or none.
void AppendTokens(SessionState& s, std::span<const int32_t> tokens) {
  if (tokens.empty()) throw Error(ErrorKind::kInput, "an empty prompt");
  CheckTokens(s, tokens);
  const size_t used = s.sequence.tokens.size(), context = s.sequence.context();
  if (tokens.size() > context - used) {
    throw Error(ErrorKind::kInput, std::to_string(used + tokens.size()) +
                                       " tokens do not fit into a context of " +
                                       std::to_string(context));
  }
  s.sequence.tokens.insert(s.sequence.tokens.end(), tokens.begin(), tokens.end());
  s.sequence.Grow(s.sequence.tokens.size());
}

}  // namespace

Session::Session(const Engine& engine, const SessionOptions& options)
    : state_(std::make_unique<SessionState>(engine.model(), PlanFor(engine.model(), options))) {}

Session::~Session() = default;
Session::Session(Session&&) noexcept = default;

void Session::Prefill(std::span<const int32_t> tokens, bool last, const Progress& progress) {
  SessionState& s = *state_;
  const size_t begin = s.sequence.tokens.size();
  AppendTokens(s, tokens);
  s.ForChunks(begin, [&](size_t position, size_t count) {
    const bool ends = last && position + count == s.sequence.tokens.size();
    const StepOutputs outputs = s.RunChunk(position, count, ends);
    if (ends) s.LogitsOf(outputs.step.segments[0], outputs.step.segments[0].count - 1, 1);
    if (progress) progress(position + count - begin);
  });
}

void Session::Score(std::span<const int32_t> tokens, const LogitsSink& sink) {
  SessionState& s = *state_;
  CEDAR_CHECK(s.replay == Replay::kFull);
  const size_t begin = s.sequence.tokens.size();
  AppendTokens(s, tokens);
  s.ForChunks(begin, [&](size_t position, size_t count) {
    const StepOutputs outputs = s.RunChunk(position, count, /*last=*/false);
    for (size_t first = 0; first < count; first += kLogitRows) {
      const size_t rows = std::min(kLogitRows, count - first);
      s.LogitsOf(outputs.step.segments[0], first, rows);
      for (size_t i = 0; i < rows; ++i) {
        sink(position + first + i, {s.scratch.logits + i * s.config().vocab, s.config().vocab});
      }
    }
  });
}

void Session::Expect(int32_t token) {
  SessionState& s = *state_;
  CheckTokens(s, {&token, 1});
  const DrawnToken drawn{&s.sequence, token};
  FetchDrawnEngrams(s.forward, {&drawn, 1});
}

void Session::Decode(int32_t token) {
  SessionState& s = *state_;
  CEDAR_CHECK(s.sequence.pending.count == 0);
  AppendTokens(s, {&token, 1});
  const GeneratedRun run{&s.sequence, s.sequence.tokens.size() - 1, 1};
  const StepOutputs outputs = RunBatchStep(s.forward, {.generated = {run}});
  s.LogitsOf(outputs.step.segments[0], 0, 1);
}

std::span<const float> Session::logits() const {
  return {state_->last_logits, state_->config().vocab};
}

void Session::Reopen() {
  SessionState& s = *state_;
  CEDAR_CHECK(s.replay != Replay::kFull);
  for (const CompressedKv& kv : s.sequence.compressed) CEDAR_CHECK(kv.group_count == 0);
  RebuildWindows(s.forward, s.sequence);
}

const std::vector<int32_t>& Session::tokens() const { return state_->sequence.tokens; }
size_t Session::context() const { return state_->sequence.context(); }
size_t Session::plan_bytes() const { return state_->plan_bytes; }
void Session::Observe(BlockObserver* observer) { state_->forward.observer = observer; }

}  // namespace cedar
