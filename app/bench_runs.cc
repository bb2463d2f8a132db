#include "app/bench_runs.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>

#include "app/interrupt.h"
#include "app/progress.h"
#include "app/report.h"
#include "engine/kv_pages.h"
#include "engine/memory_plan.h"
#include "simd/error.h"
#include "simd/memory.h"
#include "weights/random.h"

namespace cedar {
namespace {

// Generated tokens, or steps of a batch, that are measured between two probes: memory may change
// its speed from one second to the next.
constexpr size_t kPiece = 16;

// Enough that every expert of a layer is met by some token. Few at a time, because each step may
// have to wait for the disk.
constexpr size_t kWarmUpTokens = 256, kWarmUpChunk = 16;

int32_t RandomToken(Random& random, size_t vocab) {
  return static_cast<int32_t>(random.Next() % vocab);
}

// A request that generates random tokens until it is told to end.
class RandomClient : public RequestClient {
 public:
  RandomClient(uint64_t seed, size_t vocab) : random_(seed), vocab_(vocab) {}

  bool started() const { return started_; }
  void End() { ended_ = true; }

  std::optional<int32_t> Next(std::span<const float>) override {
    started_ = true;
    if (ended_) return std::nullopt;
    return RandomToken(random_, vocab_);
  }

 private:
  Random random_;
  size_t vocab_;
  bool started_ = false;
  bool ended_ = false;
};

// Runs work(i) for i in [0, count), with probes every kPiece times.
template <class F>
Measured InPieces(Meter& meter, size_t count, const F& work) {
  Measured all;
  meter.Start();
  for (size_t i = 0; i < count; ++i) {
    CheckInterrupt();
    if (i > 0 && i % kPiece == 0) all += meter.Split();
    work(i);
  }
  return all += meter.Stop();
}

}  // namespace

BenchRuns::BenchRuns(const Engine& engine, const ComputeOptions& options)
    : engine_(engine), options_(options), meter_(engine) {
  const size_t tokens = std::min(kWarmUpTokens, engine.config().max_positions);
  Session session(engine, {tokens, std::min(kWarmUpChunk, options.chunk), Replay::kFull});
  ProgressLine progress("warm-up", "tokens", tokens);
  session.Prefill(RandomTokens(tokens, 0), true, [&](size_t done) {
    CheckInterrupt();
    progress.Update(done);
  });
}

void BenchRuns::CheckPrompt(size_t tokens, size_t depth) const { NewSession(depth, tokens); }

void BenchRuns::CheckGenerate(size_t tokens, size_t depth) const {
  NewSession(std::max<size_t>(depth, 1), tokens);
}

void BenchRuns::CheckBatch(size_t parallel, size_t prompt, size_t generate) const {
  Scheduler(engine_, PlanScheduler(parallel, prompt, generate));
}

std::vector<int32_t> BenchRuns::RandomTokens(size_t count, uint64_t seed) const {
  Random random(seed);
  std::vector<int32_t> tokens(count);
  for (int32_t& token : tokens) token = RandomToken(random, engine_.config().vocab);
  return tokens;
}

Session BenchRuns::NewSession(size_t depth, size_t room) const {
  return Session(engine_, {depth + room, options_.chunk, options_.replay});
}

Session BenchRuns::Begin(size_t depth, size_t room, bool last) {
  Session session = NewSession(depth, room);
  if (depth > 0) {
    session.Prefill(RandomTokens(depth, 1), last, [](size_t) { CheckInterrupt(); });
  }
  session.Observe(meter_.observer());
  return session;
}

Measured BenchRuns::Prompt(size_t tokens, size_t depth) {
  Session session = Begin(depth, tokens, /*last=*/false);
  const std::vector<int32_t> prompt = RandomTokens(tokens, 2);
  Measured all;
  meter_.Start();
  session.Prefill(prompt, true, [&](size_t done) {
    CheckInterrupt();
    if (done < tokens) all += meter_.Split();
  });
  return all += meter_.Stop();
}

Measured BenchRuns::Generate(size_t tokens, size_t depth) {
  Session session = Begin(std::max<size_t>(depth, 1), tokens, /*last=*/true);
  const std::vector<int32_t> generated = RandomTokens(tokens, 3);
  return InPieces(meter_, tokens, [&](size_t i) { session.Decode(generated[i]); });
}

SchedulerOptions BenchRuns::PlanScheduler(size_t parallel, size_t prompt, size_t generate) const {
  // The first request generates while the prompts of the others still run, a chunk or more a step.
  const size_t steps = parallel * (prompt / options_.chunk + 2);
  SchedulerOptions scheduler;
  scheduler.context = prompt + steps + generate;
  scheduler.chunk = options_.chunk;
  scheduler.parallel = parallel;
  scheduler.replay = options_.replay;
  scheduler.pages =
      parallel * KvPageLayout(engine_.config(), engine_.plan()).PagesFor(scheduler.context) + 1;

  PlanOptions options;
  options.context = scheduler.context;
  options.parallel = parallel;
  options.chunk = RowsOfStep(engine_.config(), options_.chunk, parallel);
  options.replay = options_.replay;
  options.threads = engine_.threads();
  options.isa = engine_.isa();
  const size_t wanted = PlanMemory(engine_.config(), engine_.plan(), options).total;
  const simd::MemoryRoom room = simd::RoomOfMemory();
  if (room.bytes > 0 && wanted > room.bytes) {
    throw Error(ErrorKind::kModel, "memory: " + std::to_string(parallel) + " requests need " +
                                       FormatBytes(static_cast<double>(wanted)) + ": found " +
                                       RoomText(room));
  }
  return scheduler;
}

BenchRuns::Batch BenchRuns::RunBatch(size_t parallel, size_t prompt, size_t generate) {
  Scheduler scheduler(engine_, PlanScheduler(parallel, prompt, generate));
  scheduler.Observe(meter_.observer());
  std::vector<std::unique_ptr<RandomClient>> clients;
  std::vector<std::vector<int32_t>> prompts;
  for (size_t i = 0; i < parallel; ++i) {
    prompts.push_back(RandomTokens(prompt, 2 * i));
    clients.push_back(std::make_unique<RandomClient>(2 * i + 1, engine_.config().vocab));
    scheduler.Add({.prompt = prompts.back(),
                   .client = clients.back().get(),
                   .replay = options_.replay,
                   .reuse = false});
  }
  Batch batch;
  const auto start = std::chrono::steady_clock::now();
  while (std::ranges::any_of(clients, [](const auto& client) { return !client->started(); })) {
    CheckInterrupt();
    scheduler.Step();
  }
  batch.prompt_seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  batch.generated = InPieces(meter_, generate, [&](size_t) { scheduler.Step(); });
  for (const auto& client : clients) client->End();
  while (!scheduler.Idle()) scheduler.Step();
  return batch;
}

}  // namespace cedar
