#include "engine/scheduler_state.h"

#include <algorithm>

#include "engine/model.h"
#include "simd/error.h"

namespace cedar {
namespace {

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

SchedulerState::SchedulerState(const Engine& engine, const SchedulerOptions& from)
    : options(from),
      pages(KvPageLayout(engine.config(), engine.plan()), options.pages),
      scratch(engine.config(), engine.plan(), ScratchOptions(engine, options)),
      forward{engine.model(), scratch},
      slots(StateBytes(engine, options), options.parallel),
      prefixes(StateBytes(engine, options), options.prefix_bytes / StateBytes(engine, options)) {
  // One request alone must fit, with the page that it may have to copy of a kept prefix.
  CEDAR_CHECK(options.pages > pages.layout().PagesFor(options.context));
  CEDAR_CHECK(options.parallel > 0);
  if (!options.reuse_global) return;
  PageKey model{};  // tells models apart in a directory that they share
  if (!options.cache_directory.empty()) {
    model = engine.model().Identity();
    store = std::make_unique<KvStore>(
        KvStoreOptions{options.cache_directory, model, pages.layout().bytes, options.cache_bytes});
  }
  global = std::make_unique<GlobalCache>(pages, model, store.get());
}

}  // namespace cedar
