#include "app/batch_plan.h"

#include <algorithm>

#include "app/grammar_cache.h"
#include "app/line_names.h"
#include "app/report.h"
#include "engine/kv_pages.h"
#include "engine/memory_plan.h"
#include "engine/sequence.h"
#include "simd/error.h"
#include "simd/memory.h"

namespace cedar {
namespace {

// Mapped weights want most of the memory, as pages that the system keeps.
constexpr size_t kShareOfAvailable = 4;
// Of what is left beside the requests' own state, for prefixes that are kept.
constexpr size_t kShareForPrefixes = 4;

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

// Bytes of a plan by its parts.
class Division {
 public:
  Division(const Engine& engine, const BatchPlanOptions& options, size_t budget)
      : engine_(engine),
        options_(options),
        beside_(options.program + LineNames::BytesFor(options.lines) + 2 * LineBytes(budget) +
                GrammarBytes(budget)) {}

  // All that does not grow: the program, the state of each request, scratch.
  size_t Fixed(size_t context, size_t parallel) const {
    const size_t rows = RowsOfStep(engine_.config(), options_.chunk, parallel);
    const PlanOptions options{.context = context,
                              .parallel = parallel,
                              .chunk = rows,
                              .replay = options_.replay,
                              .threads = engine_.threads(),
                              .isa = engine_.isa()};
    const MemoryPlan plan = PlanMemory(engine_.config(), engine_.plan(), options);
    return beside_ + OfRequests(context, parallel) + OfStep(rows) + plan.scratch +
           parallel * (plan.sequence() - plan.global_kv);
  }
  // The least pages: of one request, and one that it may have to copy.
  size_t LeastPages(size_t context) const { return layout_.PagesFor(context) + 1; }
  // A page, and who it belongs to: the tokens of kept prefixes stand in their tree and beside it.
  size_t page_bytes() const {
    return layout_.bytes + sizeof(uint32_t) + sizeof(size_t) + 2 * sizeof(int32_t) * layout_.tokens;
  }
  bool Fits(size_t context, size_t parallel, size_t budget) const {
    return Fixed(context, parallel) + LeastPages(context) * page_bytes() <= budget;
  }

 private:
  // Beside the engine's state: the candidates of each request's next token, with their logits and
  // what a grammar allows; and the longest line while it is read, as text, as JSON and as tokens.
  size_t OfRequests(size_t context, size_t parallel) const {
    constexpr size_t kOfCandidate = 24, kOfReading = 64;
    return parallel * engine_.config().vocab * kOfCandidate + context * kOfReading;
  }

  // Beside the scratch: the lists of who owns each row of a step, and of the slots of its experts.
  size_t OfStep(size_t rows) const {
    constexpr size_t kOfRow = 64, kOfSlot = 64;
    return rows * (kOfRow + kOfSlot * (engine_.config().experts_per_token + 1));
  }

  const Engine& engine_;
  const BatchPlanOptions& options_;
  size_t beside_;
  KvPageLayout layout_{engine_.config(), engine_.plan()};
};

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
  const Division division(engine, options, plan.budget);
  const size_t positions = engine.config().max_positions;
  if (options.context && *options.context > positions) {
    throw Error(ErrorKind::kUsage, "--ctx " + std::to_string(*options.context) +
                                       ": the model has " + std::to_string(positions) +
                                       " positions");
  }
  SchedulerOptions& s = plan.scheduler;
  s.chunk = options.chunk;
  s.replay = options.replay;
  s.context = options.context.value_or(LargestContext(
      positions, [&](size_t context) { return division.Fits(context, 1, plan.budget); }));
  if (s.context == 0 || !division.Fits(s.context, 1, plan.budget)) {
    const size_t context = std::max<size_t>(s.context, 1);
    Refuse("one request of " + std::to_string(context) + " positions",
           division.Fixed(context, 1) + division.LeastPages(context) * division.page_bytes(),
           plan.budget);
  }
  s.parallel = options.parallel.value_or(kDefaultParallel);
  while (s.parallel > 1 && !division.Fits(s.context, s.parallel, plan.budget)) --s.parallel;

  const size_t fixed = division.Fixed(s.context, s.parallel);
  const size_t left = plan.budget - fixed;
  const size_t least = division.LeastPages(s.context);
  const size_t spare = left - least * division.page_bytes();
  s.prefix_bytes = options.keep_prefixes ? spare / kShareForPrefixes : 0;
  // No more pages than all requests and the prefixes of as many could fill.
  s.pages = std::min((left - s.prefix_bytes) / division.page_bytes(), 2 * s.parallel * least);
  plan.bytes = fixed + s.prefix_bytes + s.pages * division.page_bytes();
  return plan;
}

std::string PlanText(const BatchPlan& plan) {
  return std::to_string(plan.scheduler.parallel) + " requests at once, contexts of " +
         std::to_string(plan.scheduler.context) + " positions, " +
         FormatBytes(static_cast<double>(plan.bytes)) + " planned of " +
         FormatBytes(static_cast<double>(plan.budget));
}

}  // namespace cedar
