#include "engine/scheduler.h"

#include <algorithm>
#include <set>
#include <utility>

#include "engine/batch_step.h"
#include "engine/model.h"
#include "engine/scheduler_impl.h"
#include "simd/error.h"

namespace cedar {
namespace {

// Requests of the queue that are looked at for common prefixes: neighbours share the longest ones.
constexpr size_t kLookAhead = 256;
// A shorter prefix is computed again sooner than it is restored.
constexpr size_t kLeastKept = 16;

using Tokens = std::span<const int32_t>;

// How much of its prompt a request may restore: a full replay needs the last token's own streams.
size_t MostRestored(const RunningRequest& request) {
  return request.request.prompt.size() - (request.request.replay == Replay::kFull ? 1 : 0);
}

PlanOptions ScratchOptions(const Engine& engine, const SchedulerOptions& options) {
  return {.context = options.context,
          .parallel = options.parallel,
          .chunk = RowsOfStep(engine.config(), options.chunk, options.parallel),
          .replay = options.replay,
          .threads = engine.threads(),
          .isa = engine.isa()};
}

// The fixed part of one sequence's state.
size_t StateBytes(const Engine& engine, const SchedulerOptions& options) {
  return CountSequenceBytes(engine.config(), engine.plan(), options.context, options.replay)
      .fixed();
}

}  // namespace

size_t RowsOfStep(const ModelConfig& config, size_t chunk, size_t parallel) {
  return std::max(chunk, config.window) + parallel;
}

Scheduler::Impl::Impl(const Engine& engine, const SchedulerOptions& options)
    : options_(options),
      pages_(KvPageLayout(engine.config(), engine.plan()), options.pages),
      scratch_(engine.config(), engine.plan(), ScratchOptions(engine, options)),
      forward_{engine.model(), scratch_},
      slots_(StateBytes(engine, options), options.parallel),
      prefixes_(StateBytes(engine, options), options.prefix_bytes / StateBytes(engine, options)) {
  // One request alone must fit, with the page that it may have to copy of a kept prefix.
  CEDAR_CHECK(options.pages > pages_.layout().PagesFor(options.context));
  CEDAR_CHECK(options.parallel > 0);
  if (!options.reuse_global) return;
  PageKey model{};  // tells models apart in a directory that they share
  if (!options.cache_directory.empty()) {
    model = engine.model().Identity();
    store_ = std::make_unique<KvStore>(
        KvStoreOptions{options.cache_directory, model, pages_.layout().bytes, options.cache_bytes});
  }
  global_ = std::make_unique<GlobalCache>(pages_, model, store_.get());
}

void Scheduler::Impl::Add(std::unique_ptr<RunningRequest> request) {
  CEDAR_CHECK(!request->request.prompt.empty());
  CEDAR_CHECK(request->request.prompt.size() < options_.context);
  waiting_.push_back(std::move(request));
}

std::vector<Finished> Scheduler::Impl::RunStep() {
  Admit();
  GrowGenerating();
  const size_t rows = counts_.encoder_rows + counts_.decoder_rows;
  Run(Plan());
  // A step that gets nothing done would be followed by the same one for ever.
  CEDAR_CHECK(running_.empty() || counts_.encoder_rows + counts_.decoder_rows > rows);
  return Collect();
}

void Scheduler::Impl::Admit() {
  while (running_.size() < options_.parallel && !waiting_.empty()) {
    std::unique_ptr<RunningRequest> request = std::move(waiting_.front());
    waiting_.pop_front();
    request->keep = PartingPoints(*request);
    running_.push_back(std::move(request));
  }
}

std::vector<size_t> Scheduler::Impl::PartingPoints(const RunningRequest& request) const {
  if (!request.request.reuse) return {};
  std::set<size_t> points(request.request.keep.begin(), request.request.keep.end());
  for (size_t i = 0; i < std::min(waiting_.size(), kLookAhead); ++i) {
    const RunningRequest& other = *waiting_[i];
    if (!other.request.reuse || other.request.replay != request.request.replay) continue;
    const size_t shared =
        std::min(CommonPrefix(request.request.prompt, other.request.prompt), MostRestored(request));
    if (shared >= kLeastKept) points.insert(shared);
  }
  return {points.begin(), points.end()};
}

bool Scheduler::Impl::PrefixIsComing(const RunningRequest& request) {
  if (!request.request.reuse) return false;
  const size_t kept = prefixes_.LongestPrefix(request.request.replay, request.request.prompt);
  for (const std::unique_ptr<RunningRequest>& other : running_) {
    if (other.get() == &request) break;  // those before it only: no two wait for each other
    if (!other->Encoding() || !other->request.reuse) continue;
    if (other->request.replay != request.request.replay) continue;
    const size_t shared = std::min(CommonPrefix(request.request.prompt, other->request.prompt),
                                   MostRestored(request));
    if (shared < kLeastKept || shared <= kept || shared <= other->encoded) continue;
    const auto at = std::lower_bound(other->keep.begin(), other->keep.end(), shared);
    if (at == other->keep.end() || *at != shared) other->keep.insert(at, shared);
    return true;
  }
  return false;
}

const Snapshot* Scheduler::Impl::FindPrefix(const RunningRequest& request) {
  if (!request.request.reuse) return nullptr;
  const Tokens prompt = request.request.prompt;
  return prefixes_.Find(request.request.replay, prompt.first(MostRestored(request)));
}

bool Scheduler::Impl::Begin(RunningRequest& request) {
  const Tokens prompt = request.request.prompt;
  const size_t total = pages_.layout().PagesFor(prompt.size() + request.generated.size() + 1);
  const Snapshot* prefix = FindPrefix(request);
  // A page of the prefix that is shared whole need not be taken.
  while (pages_.free() + (prefix == nullptr ? 0 : prefix->WholePages()) < total) {
    if (!Evict()) return false;
    prefix = FindPrefix(request);
  }
  const Model& model = forward_.model;
  request.sequence = std::make_unique<Sequence>(model.config, model.plan, pages_, options_.context,
                                                request.request.replay, &slots_);
  if (!BeginFromGlobal(request, prefix == nullptr ? 0 : prefix->position()) && prefix != nullptr) {
    prefix->RestoreTo(*request.sequence);
    request.encoded = prefix->position();
  }
  request.sequence->tokens.assign(prompt.begin(), prompt.end());
  request.sequence->engrams_asked = std::max(request.encoded, request.engrams_asked);
  request.sequence->Grow(prompt.size() + request.generated.size() + 1);
  if (!request.started) request.cached = request.encoded;
  request.started = true;
  return true;
}

bool Scheduler::Impl::BeginFromGlobal(RunningRequest& request, size_t length) {
  const bool may =
      global_ != nullptr && request.request.reuse && request.request.replay == Replay::kBounded;
  if (!may) return false;
  Tokens prompt = request.request.prompt;
  if (request.started) {
    // One that gave way starts as it did before, or it would not be replayed exactly.
    prompt = prompt.first(request.inexact ? request.cached : 0);
    length = 0;
  }
  if (global_->LongestPrefix(prompt) <= length) return false;
  Sequence& sequence = *request.sequence;
  const size_t restored = global_->RestoreTo(sequence, prompt);
  if (restored == 0) return false;
  sequence.tokens.assign(prompt.begin(), prompt.begin() + static_cast<long>(restored));
  RebuildWindows(forward_, sequence);
  counts_.encoder_rows += std::min(restored, forward_.model.config.window);
  request.encoded = restored;
  request.inexact = true;
  return true;
}

bool Scheduler::Impl::Evict() {
  return prefixes_.Evict() || (global_ != nullptr && global_->Evict());
}

void Scheduler::Impl::GrowGenerating() {
  for (size_t i = 0; i < running_.size(); ++i) {
    RunningRequest& request = *running_[i];
    if (!request.Generating()) continue;
    const size_t positions = request.request.prompt.size() + request.generated.size();
    CEDAR_CHECK(positions <= options_.context);
    if (!MakeRoom(request.sequence->PagesMissing(positions), request)) {
      request.GiveWay();
      ++counts_.gave_way;
      waiting_.push_front(std::move(running_[i]));
      running_.erase(running_.begin() + static_cast<long>(i));
      --i;
      continue;
    }
    request.sequence->Grow(positions);
  }
}

bool Scheduler::Impl::MakeRoom(size_t pages, const RunningRequest& for_whom) {
  while (pages_.free() < pages) {
    if (Evict()) continue;
    // Those that came last give way, down to the one that asks.
    if (running_.back().get() == &for_whom) return false;
    running_.back()->GiveWay();
    ++counts_.gave_way;
    waiting_.push_front(std::move(running_.back()));
    running_.pop_back();
  }
  return true;
}

std::vector<Finished> Scheduler::Impl::Collect() {
  std::vector<Finished> finished;
  std::erase_if(running_, [&](const std::unique_ptr<RunningRequest>& request) {
    if (!request->ended) return false;
    finished.push_back({request->id, request->cached});
    counts_.cached_tokens += request->cached;
    counts_.prompt_tokens += request->request.prompt.size();
    return true;
  });
  return finished;
}

SchedulerCounts Scheduler::Impl::counts() const {
  SchedulerCounts counts = counts_;
  counts.running = running_.size();
  counts.waiting = waiting_.size();
  counts.pages_in_use = pages_.capacity() - pages_.free();
  counts.prefix_bytes = prefixes_.bytes();
  return counts;
}

std::optional<std::string> Scheduler::Impl::cache_failure() const {
  return store_ == nullptr ? std::nullopt : store_->failure();
}

Scheduler::Scheduler(const Engine& engine, const SchedulerOptions& options)
    : impl_(std::make_unique<Impl>(engine, options)) {}

Scheduler::~Scheduler() = default;

size_t Scheduler::Add(ScheduledRequest request) {
  auto running = std::make_unique<RunningRequest>();
  const size_t id = next_id_++;
  running->id = id;
  running->request = std::move(request);
  impl_->Add(std::move(running));
  return id;
}

std::vector<Finished> Scheduler::Step() { return impl_->RunStep(); }
bool Scheduler::Idle() const { return impl_->Idle(); }
SchedulerCounts Scheduler::counts() const { return impl_->counts(); }
std::optional<std::string> Scheduler::cache_failure() const { return impl_->cache_failure(); }
void Scheduler::Observe(BlockObserver* observer) { impl_->Observe(observer); }

}  // namespace cedar
