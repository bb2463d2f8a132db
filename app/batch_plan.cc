#include "app/batch_plan.h"

#include <algorithm>

#include "app/grammar_cache.h"
#include "app/line_names.h"
#include "app/report.h"
#include "engine/scheduler_plan.h"
#include "simd/error.h"
#include "simd/memory.h"

namespace cedar {
namespace {

// Mapped weights want most of the memory, as pages that the system keeps.
constexpr size_t kShareOfAvailable = 4;

size_t BudgetOf(const BatchPlanOptions& options) {
  if (options.memory) return *options.memory;
  const size_t available = simd::AvailableMemory();
  return available == 0 ? size_t{4} << 30 : available / kShareOfAvailable;
}

// What lines and grammars may hold: a share of the budget, within limits. The plan counts lines
// twice: what they were before, the allocator keeps for a while.
size_t LineBytes(size_t budget) {
  return std::clamp(budget / 128, size_t{256} << 10, size_t{256} << 20);
}
size_t GrammarBytes(size_t budget) {
  return std::clamp(budget / 256, size_t{128} << 10, kDefaultGrammarBytes);
}

// The longest document: its text as it is read and as JSON, and of one that becomes tokens what its
// encoding takes for each byte. One that has too many for sure never does (RequestIntake).
size_t OfDocument(const Engine& engine, const BatchPlanOptions& options, size_t context) {
  constexpr size_t kOfRead = 6, kOfEncoded = 16;
  const size_t longest = options.document;
  const size_t fits = context * engine.tokenizer().longest_token();
  const size_t encoded = options.truncate ? longest : std::min(longest, fits);
  return std::max(kOfRead * longest, kOfEncoded * encoded);
}

// Beside the engine: the program, names of lines, lines and grammars; the candidates of each
// request's next token, with their logits and what a grammar allows; and the longest line or
// document while it is read, as text, as JSON and as tokens.
CallerBytes BesideTheEngine(const Engine& engine, const BatchPlanOptions& options, size_t budget) {
  constexpr size_t kOfCandidate = 24, kOfReading = 64;
  return {.fixed = options.program + LineNames::BytesFor(options.lines) + 2 * LineBytes(budget) +
                   GrammarBytes(budget),
          .per_request = engine.config().vocab * kOfCandidate,
          .of_context = [&engine, &options](size_t context) {
            return std::max(context * kOfReading, OfDocument(engine, options, context));
          }};
}

[[noreturn]] void Refuse(const std::string& what, size_t needed, size_t budget) {
  throw Error(ErrorKind::kModel, "memory: " + what + " needs " +
                                     FormatBytes(static_cast<double>(needed)) +
                                     ", and the plan may take " +
                                     FormatBytes(static_cast<double>(budget)) + " (--memory)");
}

}  // namespace

BatchPlan PlanBatch(const Engine& engine, const BatchPlanOptions& options) {
  BatchPlan plan;
  plan.budget = BudgetOf(options);
  plan.line_bytes = LineBytes(plan.budget);
  plan.grammar_bytes = GrammarBytes(plan.budget);
  const size_t positions = engine.config().max_positions;
  if (options.context && *options.context > positions) {
    throw Error(ErrorKind::kUsage, "--ctx " + std::to_string(*options.context) +
                                       ": the model has " + std::to_string(positions) +
                                       " positions");
  }
  const SchedulerPlan scheduler =
      PlanScheduler(engine, {.budget = plan.budget,
                             .context = options.context,
                             .parallel = options.parallel.value_or(kDefaultParallel),
                             .chunk = options.chunk,
                             .replay = options.replay,
                             .keep_prefixes = options.keep_prefixes,
                             .caller = BesideTheEngine(engine, options, plan.budget)});
  if (scheduler.bytes > plan.budget) {
    Refuse("one request of " + std::to_string(scheduler.scheduler.context) + " positions",
           scheduler.bytes, plan.budget);
  }
  plan.scheduler = scheduler.scheduler;
  plan.bytes = scheduler.bytes;
  return plan;
}

std::string PlanText(const BatchPlan& plan) {
  return std::to_string(plan.scheduler.parallel) + " requests at once, contexts of " +
         std::to_string(plan.scheduler.context) + " positions, " +
         FormatBytes(static_cast<double>(plan.bytes)) + " planned of " +
         FormatBytes(static_cast<double>(plan.budget));
}

}  // namespace cedar
