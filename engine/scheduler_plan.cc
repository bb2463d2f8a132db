#include "engine/scheduler_plan.h"

#include <algorithm>

#include "engine/kv_pages.h"
#include "engine/memory_plan.h"

namespace cedar {
namespace {

// Of what is left beside the requests' own state, for prefixes that are kept.
constexpr size_t kShareForPrefixes = 4;

// Bytes of a plan by its parts.
class Division {
 public:
  Division(const Engine& engine, const SchedulerPlanOptions& options)
      : engine_(engine), options_(options) {}

  // All that does not grow: the caller's, the state of each request, scratch.
  size_t Fixed(size_t context, size_t parallel) const {
    const size_t rows = RowsOfStep(engine_.config(), options_.chunk, parallel);
    const PlanOptions options{.context = context,
                              .parallel = parallel,
                              .chunk = rows,
                              .replay = options_.replay,
                              .threads = engine_.threads(),
                              .isa = engine_.isa()};
    const MemoryPlan plan = PlanMemory(engine_.config(), engine_.plan(), options);
    const CallerBytes& caller = options_.caller;
    return caller.fixed + parallel * caller.per_request +
           (caller.of_context ? caller.of_context(context) : 0) + OfStep(rows) + plan.scratch +
           parallel * (plan.sequence() - plan.global_kv);
  }
  // The least pages: of one request, and one that it may have to copy.
  size_t LeastPages(size_t context) const { return layout_.PagesFor(context) + 1; }
  // A page, and who it belongs to: the tokens of kept prefixes stand in their tree and beside it.
  size_t page_bytes() const {
    return layout_.bytes + sizeof(uint32_t) + sizeof(size_t) + 2 * sizeof(int32_t) * layout_.tokens;
  }
  size_t Least(size_t context, size_t parallel) const {
    return Fixed(context, parallel) + LeastPages(context) * page_bytes();
  }
  bool Fits(size_t context, size_t parallel) const {
    return Least(context, parallel) <= options_.budget;
  }

 private:
  // Beside the scratch: the lists of who owns each row of a step, and of the slots of its experts.
  size_t OfStep(size_t rows) const {
    constexpr size_t kOfRow = 64, kOfSlot = 64;
    return rows * (kOfRow + kOfSlot * (engine_.config().experts_per_token + 1));
  }

  const Engine& engine_;
  const SchedulerPlanOptions& options_;
  KvPageLayout layout_{engine_.config(), engine_.plan()};
};

}  // namespace

SchedulerPlan PlanScheduler(const Engine& engine, const SchedulerPlanOptions& options) {
  const Division division(engine, options);
  SchedulerPlan plan;
  SchedulerOptions& s = plan.scheduler;
  s.chunk = options.chunk;
  s.replay = options.replay;
  s.context = options.context.value_or(LargestContext(
      engine.config().max_positions, [&](size_t context) { return division.Fits(context, 1); }));
  s.context = std::max<size_t>(s.context, 1);
  if (!division.Fits(s.context, 1)) {
    plan.bytes = division.Least(s.context, 1);
    return plan;
  }
  s.parallel = options.parallel;
  while (s.parallel > 1 && !division.Fits(s.context, s.parallel)) --s.parallel;

  const size_t fixed = division.Fixed(s.context, s.parallel);
  const size_t left = options.budget - fixed;
  const size_t least = division.LeastPages(s.context);
  const size_t spare = left - least * division.page_bytes();
  s.prefix_bytes = options.keep_prefixes ? spare / kShareForPrefixes : 0;
  // No more pages than all requests and the prefixes of as many could fill.
  s.pages = std::min((left - s.prefix_bytes) / division.page_bytes(), 2 * s.parallel * least);
  plan.bytes = fixed + s.prefix_bytes + s.pages * division.page_bytes();
  return plan;
}

}  // namespace cedar
