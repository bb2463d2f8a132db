// What a chunk of a prompt costs when so many tokens stand before it, and what memory it takes.
//
//   long_context MODEL bounded|full DEPTH...
//
// Prefilling 128k tokens of the slice takes half an hour, so the tokens before are not computed:
// their global KV is filled with random rows and keys, as if it had been restored from a store, and
// one chunk that nobody times begins the windows and makes memory present. The chunk after it is
// timed. index_scores_ms is what the index scores of such a token take alone, measured by the same
// kernel on the same keys and divided by the threads; all that is left must not grow.

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "app/report.h"
#include "engine/batch_step.h"
#include "engine/engine.h"
#include "engine/forward.h"
#include "engine/kv_pages.h"
#include "engine/memory_plan.h"
#include "engine/model.h"
#include "engine/scratch.h"
#include "engine/sequence.h"

namespace cedar::perf {
namespace {

constexpr size_t kChunk = 512;

double Now() {
  using Clock = std::chrono::steady_clock;
  return std::chrono::duration<double>(Clock::now().time_since_epoch()).count();
}

// A row of `codes` random bytes and as many scale codes in [first, first + 8) as are left.
void FillRow(std::mt19937& random, uint8_t* row, size_t bytes, size_t codes, unsigned first) {
  for (size_t i = 0; i < bytes; ++i) {
    row[i] = static_cast<uint8_t>(i < codes ? random() : first + random() % 8);
  }
}

class LongContext {
 public:
  LongContext(const Engine& engine, Replay replay, size_t depth)
      : model_(engine.model()),
        replay_(replay),
        options_{.context = depth + 2 * kChunk,
                 .chunk = kChunk,
                 .replay = replay,
                 .threads = model_.workers.threads(),
                 .isa = model_.kernels.isa},
        pages_(KvPageLayout(model_.config, model_.plan),
               KvPageLayout(model_.config, model_.plan).PagesFor(options_.context)),
        sequence_(model_.config, model_.plan, pages_, options_.context, replay),
        scratch_(model_.config, model_.plan, options_),
        forward_{model_, scratch_} {
    for (size_t i = 0; i < options_.context; ++i) {
      sequence_.tokens.push_back(static_cast<int32_t>(random_() % model_.config.vocab));
    }
    sequence_.Grow(options_.context);
    for (CompressedKv& kv : sequence_.compressed) Fill(kv, depth);
    RunChunk(depth);
  }

  // Seconds of the chunk after the one that makes everything warm.
  double Seconds() {
    const double begin = Now();
    RunChunk(options_.context - kChunk);
    return Now() - begin;
  }

  // Seconds of one thread for the index scores of the last token.
  double IndexSeconds() {
    double seconds = 0;
    for (size_t layer = 0; layer < model_.plan.layers.size(); ++layer) {
      const bool runs =
          replay_ == Replay::kFull || static_cast<int>(layer) < model_.plan.first_decoder_layer;
      if (runs && model_.weights.layers[layer].attn.indexer) seconds += IndexSeconds(layer);
    }
    return seconds;
  }

  MemoryPlan Plan() const { return PlanMemory(model_.config, model_.plan, options_); }

 private:
  void Fill(CompressedKv& kv, size_t depth) {
    kv.count = depth / kv.layout.ratio;
    for (size_t i = 0; i < kv.count; ++i) {
      FillRow(random_, kv.Row(i), kv.layout.row_bytes, model_.config.head_dim / 2, 0x30);
      FillRow(random_, kv.Key(i), kv.layout.key_bytes, model_.config.index_head_dim / 2, 120);
    }
  }

  void RunChunk(size_t position) {
    const PromptChunk chunk{&sequence_, position, kChunk, replay_, /*last=*/false};
    RunBatchStep(forward_, {.chunks = {chunk}});
  }

  double IndexSeconds(size_t layer) {
    const ModelConfig& c = model_.config;
    const IndexerScratch& s = scratch_.indexer;
    const CompressedKv& kv =
        sequence_.compressed[static_cast<size_t>(model_.plan.layers[layer].kv_source)];
    size_t rows = kv.Visible(options_.context - 1);
    if (model_.plan.layers[layer].uses_candidates) {
      rows = std::min(rows, c.candidates->blocks * c.candidates->block_rows);
    }
    std::vector<const uint8_t*> keys;
    for (size_t i = 0; i < rows; ++i) keys.push_back(kv.Key(i));
    std::vector<float> scores(rows);
    const double begin = Now();
    model_.kernels.index_scores(s.queries, s.weights, c.index_heads, c.index_head_dim, keys,
                                scores.data());
    return Now() - begin;
  }

  const Model& model_;
  Replay replay_;
  PlanOptions options_;
  std::mt19937 random_{1};
  KvPages pages_;
  Sequence sequence_;
  Scratch scratch_;
  Forward forward_;
};

void Measure(const Engine& engine, Replay replay, size_t depth) {
  LongContext context(engine, replay, depth);
  const double ms = context.Seconds() * 1e3 / kChunk;
  const double scores = context.IndexSeconds() * 1e3 / engine.threads();
  const MemoryPlan plan = context.Plan();
  std::printf("%s,%zu,%.3f,%.3f,%.3f,%zu,%zu,%zu\n", replay == Replay::kFull ? "full" : "bounded",
              depth, ms, scores, ms - scores, plan.scratch, plan.sequence(), AnonymousBytes());
  std::fflush(stdout);
}

int Main(int argc, char** argv) {
  if (argc < 4) {
    std::fputs("usage: long_context MODEL bounded|full DEPTH...\n", stderr);
    return 2;
  }
  const Engine engine(ModelFiles::InDirectory(argv[1]), {});
  const Replay replay = std::string_view(argv[2]) == "full" ? Replay::kFull : Replay::kBounded;
  for (int i = 3; i < argc; ++i) {
    Measure(engine, replay, static_cast<size_t>(std::strtoull(argv[i], nullptr, 10)));
  }
  return 0;
}

}  // namespace
}  // namespace cedar::perf

int main(int argc, char** argv) { return cedar::perf::Main(argc, argv); }
