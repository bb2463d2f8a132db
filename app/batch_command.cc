// cedar batch: answers the requests of a file, many at once.

#include <algorithm>
#include <cstdio>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "app/batch_check.h"
#include "app/batch_input.h"
#include "app/batch_pilot.h"
#include "app/batch_plan.h"
#include "app/batch_runner.h"
#include "app/commands.h"
#include "app/earlier_lookup.h"
#include "app/interrupt.h"
#include "app/line_source.h"
#include "app/load_engine.h"
#include "app/memory_fit.h"
#include "app/output.h"
#include "app/report.h"
#include "engine/engine.h"
#include "simd/error.h"

namespace cedar {
namespace {

// What the process holds besides loaded weights, which are not of the memory that is left for a
// run.
size_t OwnBytes(const Engine& engine) {
  const size_t all = AnonymousBytes();
  return all - std::min(all, engine.loaded_weight_bytes());
}

// After all that the run reads has been opened: what the process holds by then is in the plan.
BatchPlan Plan(const Engine& engine, const BatchOptions& options, const LineSource& source) {
  CheckMemoryOption(options.memory, OwnBytes(engine));
  BatchPlan plan =
      PlanBatch(engine, {.context = options.context,
                         .parallel = options.parallel,
                         .memory = options.memory,
                         .chunk = options.compute.chunk,
                         .replay = options.compute.replay,
                         .keep_prefixes = options.ReuseMode() != Reuse::kOff,
                         .program = OwnBytes(engine),
                         .lines = source.total().value_or(0),
                         .document = options.documents.empty() ? 0 : LongestLine(options.memory),
                         .truncate = options.truncate_prompt});
  plan.scheduler.reuse_global = options.ReuseMode() == Reuse::kGlobal;
  plan.scheduler.cache_directory = options.cache_dir.value_or("");
  constexpr size_t kCacheBytes = size_t{16} << 30;
  plan.scheduler.cache_bytes = options.cache_bytes.value_or(kCacheBytes);
  // Of a file it is known where prompts part; of what still comes, nothing.
  constexpr size_t kKeepEvery = 2048;
  if (!source.total()) plan.scheduler.keep_every = kKeepEvery;
  std::fprintf(stderr, "plan: %s\n", PlanText(plan).c_str());
  if (!options.check) WarnIfUnfit(MakeMemoryFit(engine, plan.bytes));
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

void WriteSummary(std::optional<Output> file, const Engine& engine, const BatchFigures& figures,
                  const RunEnd& end) {
  std::fputs((figures.SummaryText(end) + WeightsText(engine)).c_str(), stderr);
  if (!file) return;
  file->Empty();
  file->Write(figures.SummaryJson(end));
  file->Close();
}

// Why a run ends before its last line.
std::string ReasonOf(const std::exception_ptr& stopped) {
  try {
    std::rethrow_exception(stopped);
  } catch (const Interrupted&) {
    return "by " + InterruptName();
  } catch (const std::exception& error) {
    return error.what();
  }
}

// The figures of a run that was stopped are worth as much; what stopped it is told last.
[[noreturn]] void EndStopped(std::optional<Output> summary, const Engine& engine,
                             const BatchRunner& runner) {
  const std::exception_ptr stopped = std::current_exception();
  try {
    WriteSummary(std::move(summary), engine, runner.figures(), runner.End(ReasonOf(stopped)));
  } catch (const Error& error) {
    std::fprintf(stderr, "no summary: %s\n", error.what());
  }
  std::rethrow_exception(stopped);
}

// Of a run over all of the input.
ExitCode RunToEnd(const Engine& engine, BatchRunner& runner, std::optional<Output> summary) {
  ExitCode code = kExitOk;
  try {
    code = runner.Run();
  } catch (...) {
    EndStopped(std::move(summary), engine, runner);
  }
  if (const std::optional<std::string> failure = runner.cache_failure()) {
    std::fprintf(stderr, "the cache took no more: %s\n", failure->c_str());
  }
  WriteSummary(std::move(summary), engine, runner.figures(), runner.End(""));
  return code;
}

}  // namespace

ExitCode Execute(const BatchOptions& options) {
  CheckMemoryOption(options.memory, AnonymousBytes());
  const BatchInput input(options);
  const Engine engine =
      LoadEngine(options.model, options.compute, [&] { return WorkOf(options, input); });
  if (options.pilot) {
    return RunPilot(engine, options, input,
                    [&](const LineSource& source) { return Plan(engine, options, source); });
  }
  if (options.check) {
    const std::unique_ptr<LineSource> source = input.Open();
    return CheckLines(engine, options, Plan(engine, options, *source), *source);
  }
  BatchFiles files(options, input);
  if (files.source->total()) LookUpLines(engine, options, *files.source, files.answers);
  std::optional<Output> summary = std::move(files.summary);
  const BatchPlan plan = Plan(engine, options, *files.source);
  BatchRunner runner(engine, options, plan, std::move(files));
  return RunToEnd(engine, runner, std::move(summary));
}

}  // namespace cedar
