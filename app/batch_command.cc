// cedar batch: answers the requests of a file, many at once.

#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "app/batch_check.h"
#include "app/batch_input.h"
#include "app/batch_plan.h"
#include "app/batch_runner.h"
#include "app/commands.h"
#include "app/line_source.h"
#include "app/load_engine.h"
#include "app/output.h"
#include "app/report.h"
#include "engine/engine.h"
#include "simd/error.h"
#include "simd/memory.h"

namespace cedar {
namespace {

// What the process holds besides loaded weights, which are not of the memory that is left for a
// run.
size_t OwnBytes(const Engine& engine) {
  const size_t all = AnonymousBytes();
  return all - std::min(all, engine.loaded_weight_bytes());
}

// A plan that the machine cannot hold may still end well: not every run takes all of it.
void WarnOfMemory(const BatchOptions& options) {
  const size_t available = simd::AvailableMemory();
  if (!options.memory || available == 0 || *options.memory <= available) return;
  std::fprintf(stderr, "warning: --memory %s is more than the %s that this machine has available\n",
               FormatBytes(static_cast<double>(*options.memory)).c_str(),
               FormatBytes(static_cast<double>(available)).c_str());
}

// After all that the run reads has been opened: what the process holds by then is in the plan.
BatchPlan Plan(const Engine& engine, const BatchOptions& options, const LineSource& source) {
  BatchPlan plan = PlanBatch(engine, {.context = options.context,
                                      .parallel = options.parallel,
                                      .memory = options.memory,
                                      .chunk = options.compute.chunk,
                                      .replay = options.compute.replay,
                                      .keep_prefixes = options.ReuseMode() != Reuse::kOff,
                                      .program = OwnBytes(engine),
                                      .lines = source.total().value_or(0)});
  plan.scheduler.reuse_global = options.ReuseMode() == Reuse::kGlobal;
  plan.scheduler.cache_directory = options.cache_dir.value_or("");
  constexpr size_t kCacheBytes = size_t{16} << 30;
  plan.scheduler.cache_bytes = options.cache_bytes.value_or(kCacheBytes);
  // Of a file it is known where prompts part; of what still comes, nothing.
  constexpr size_t kKeepEvery = 2048;
  if (!source.total()) plan.scheduler.keep_every = kKeepEvery;
  WarnOfMemory(options);
  std::fprintf(stderr, "plan: %s\n", PlanText(plan).c_str());
  plan.bytes += engine.loaded_weight_bytes();
  return plan;
}

// A pipe does not tell how much will come, and is not read ahead. Lines may set limits of their own
// or ask for several answers; that is not looked at.
KnownWork WorkOf(const BatchOptions& options, const BatchInput& input) {
  constexpr size_t kUsualAnswer = 256;   // tokens
  constexpr size_t kUsualParallel = 32;  // what the plan finds room for is not known yet
  if (options.check || !input.IsKnown()) return {};
  return {.answers = input.Open()->total().value_or(0),
          .tokens = std::min(options.defaults.max_tokens.value_or(kUsualAnswer), kUsualAnswer),
          .at_once = options.parallel.value_or(kUsualParallel)};
}

void WriteSummary(std::optional<Output> file, const Engine& engine, const BatchFigures& figures) {
  std::fputs((figures.SummaryText() + WeightsText(engine)).c_str(), stderr);
  if (!file) return;
  file->Empty();
  file->Write(figures.SummaryJson());
  file->Close();
}

}  // namespace

ExitCode Execute(const BatchOptions& options) {
  const BatchInput input(options);
  const Engine engine =
      LoadEngine(options.model, options.compute, [&] { return WorkOf(options, input); });
  if (options.check) {
    const std::unique_ptr<LineSource> source = input.Open();
    return CheckLines(engine, options, Plan(engine, options, *source), *source);
  }
  BatchFiles files(options, input);
  std::optional<Output> summary = std::move(files.summary);
  const BatchPlan plan = Plan(engine, options, *files.source);
  BatchRunner runner(engine, options, plan, std::move(files));
  const ExitCode code = runner.Run();
  if (const std::optional<std::string> failure = runner.cache_failure()) {
    std::fprintf(stderr, "the cache took no more: %s\n", failure->c_str());
  }
  WriteSummary(std::move(summary), engine, runner.figures());
  return code;
}

}  // namespace cedar
