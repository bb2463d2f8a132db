// cedar batch: answers the requests of a file, many at once.

#include <cstdio>
#include <filesystem>
#include <string>

#include "app/batch_check.h"
#include "app/batch_plan.h"
#include "app/batch_runner.h"
#include "app/commands.h"
#include "app/line_source.h"
#include "app/load_engine.h"
#include "app/output.h"
#include "engine/engine.h"
#include "simd/error.h"

namespace cedar {
namespace {

BatchPlan Plan(const Engine& engine, const BatchOptions& options) {
  BatchPlan plan = PlanBatch(engine, {.context = options.context,
                                      .parallel = options.parallel,
                                      .memory = options.memory,
                                      .chunk = options.compute.chunk,
                                      .replay = options.compute.replay,
                                      .keep_prefixes = options.reuse != Reuse::kOff});
  plan.scheduler.reuse_global = options.reuse == Reuse::kGlobal || options.cache_dir.has_value();
  plan.scheduler.cache_directory = options.cache_dir.value_or("");
  plan.scheduler.cache_bytes = options.cache_bytes;
  return plan;
}

// So many lines make up for the time it takes to read large weights.
constexpr size_t kManyLines = 256;

// A pipe does not tell how much will come.
bool HasManyLines(const BatchOptions& options) {
  if (options.check) return false;
  if (options.documents) {
    return OpenDocuments(*options.documents, options.prompt.value_or(""))->total() >= kManyLines;
  }
  return std::filesystem::is_regular_file(options.input) &&
         OpenLines(options.input)->total() >= kManyLines;
}

void WriteSummary(const BatchOptions& options, const Engine& engine, const BatchFigures& figures) {
  std::fputs((figures.SummaryText() + WeightsText(engine)).c_str(), stderr);
  if (!options.summary) return;
  Output out = Output::File(*options.summary);
  out.Write(figures.SummaryJson());
  out.Close();
}

}  // namespace

ExitCode Execute(const BatchOptions& options) {
  const Engine engine =
      LoadEngine(options.model, options.compute, [&] { return HasManyLines(options); });
  const BatchPlan plan = Plan(engine, options);
  std::fprintf(stderr, "plan: %s\n", PlanText(plan).c_str());
  if (options.check) return CheckLines(engine, options, plan);
  BatchRunner runner(engine, options, plan.scheduler, plan.bytes + engine.loaded_weight_bytes());
  const ExitCode code = runner.Run();
  WriteSummary(options, engine, runner.figures());
  return code;
}

}  // namespace cedar
