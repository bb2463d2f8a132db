// What WorkCounter counts, against the sizes of the model and the experts that a recorder saw.

#include "engine/work_counter.h"

#include <gtest/gtest.h>

#include <set>

#include "engine/engine.h"
#include "engine/model.h"
#include "simd/matrix.h"
#include "tests/engine/golden_checkpoint.h"
#include "tests/engine/recorder.h"
#include "weights/matrix_bytes.h"

namespace cedar {
namespace {

class WorkCounterTest : public ::testing::Test {
 protected:
  Work Prefill(size_t tokens, Replay replay, size_t chunk = kDefaultChunk) {
    Session session(engine_, {tokens, chunk, replay});
    WorkCounter counter(engine_.model());
    session.Observe(&counter);
    session.Prefill(std::span(tokens_).first(tokens));
    return counter.work();
  }

  // What info counts for a generated token and WorkCounter leaves out: its embedding and Engrams.
  double LookedUpBytes() const {
    const ModelConfig& c = engine_.config();
    double bytes = static_cast<double>(MatrixBytes(RowsOf(model().weights.embed, {0, 1})));
    for (const LayerWeights& layer : model().weights.layers) {
      if (!layer.engram) continue;
      const EngramTable& table = layer.engram->table;
      const size_t scales = table.format == Format::kFp8 ? table.head_dim / 32 : 0;
      bytes += static_cast<double>(c.engram.columns() *
                                   (RowBytes(table.format, table.head_dim) + scales));
    }
    return bytes;
  }

  const Model& model() const { return engine_.model(); }

  const GoldenCheckpoint golden_{"tiny"};
  const Engine engine_ = golden_.MakeEngine(AvailableIsas().front());
  const std::vector<int32_t> tokens_ = golden_.tokens();
};

TEST_F(WorkCounterTest, AGeneratedTokenReadsWhatModelCountsSay) {
  Session session(engine_, {.context = 10});
  session.Prefill(std::span(tokens_).first(5));
  WorkCounter counter(model());
  session.Observe(&counter);
  session.Decode(tokens_[5]);
  const ModelCounts counts = CountModel(model().weights, model().config, model().plan);
  EXPECT_EQ(counter.work().weight_bytes,
            static_cast<double>(counts.bytes.decode_token) - LookedUpBytes());
  const double experts =
      static_cast<double>(SizesOf(model().weights.layers[0]).expert.parameters *
                          model().config.experts_per_token * model().weights.layers.size());
  EXPECT_EQ(counter.work().expert_operations, 2 * experts);
}

// Every row of a step costs its operations, but each expert's weights are read once.
TEST_F(WorkCounterTest, RowsOfAStepShareTheirExperts) {
  constexpr size_t kTokens = 40;
  Recorder recorder;
  Session session(engine_, {.context = kTokens, .replay = Replay::kFull});
  session.Observe(&recorder);
  session.Prefill(std::span(tokens_).first(kTokens));
  std::set<std::pair<size_t, int32_t>> chosen;
  for (const auto& [where, experts] : recorder.experts) {
    for (const int32_t expert : experts) chosen.insert({where.layer, expert});
  }
  double bytes = static_cast<double>(HeadSize(model().weights).bytes);
  for (const LayerWeights& layer : model().weights.layers) {
    const LayerSizes sizes = SizesOf(layer);
    bytes += static_cast<double>(sizes.common.bytes + sizes.kv_source.bytes);
  }
  for (const auto& [layer, expert] : chosen) {
    bytes += static_cast<double>(SizesOf(model().weights.layers[layer]).expert.bytes);
  }
  EXPECT_EQ(Prefill(kTokens, Replay::kFull).weight_bytes, bytes);
}

// Twice the chunks read the weights again and compute the same.
TEST_F(WorkCounterTest, ChunksChangeBytesButNotOperations) {
  const Work one = Prefill(40, Replay::kFull), two = Prefill(40, Replay::kFull, 20);
  EXPECT_GT(two.weight_bytes, one.weight_bytes);
  // The same sum of whole numbers, in another order: exact in fp64.
  const double head = 2.0 * static_cast<double>(HeadSize(model().weights).parameters);
  EXPECT_GT(one.operations, 40 * head);
  EXPECT_EQ(two.operations, one.operations);
}

// The decoder's KV source sees every token; the rest of the decoder only those that are replayed.
// One token is all of both.
TEST_F(WorkCounterTest, AReplayIsCountedAsItRuns) {
  const Work full = Prefill(1, Replay::kFull), bounded = Prefill(1, Replay::kBounded);
  EXPECT_EQ(bounded.weight_bytes, full.weight_bytes);
  EXPECT_EQ(bounded.operations, full.operations);
  const size_t tokens = 2 * model().config.window + 3;
  ASSERT_LE(tokens, tokens_.size());
  EXPECT_LT(Prefill(tokens, Replay::kBounded).operations,
            Prefill(tokens, Replay::kFull).operations);
}

// At the first position a query sees one row of the window, and one more where a row is a token.
TEST_F(WorkCounterTest, AttentionCountsTheRowsThatItSees) {
  const ModelConfig& c = model().config;
  double expected = 2.0 * static_cast<double>(HeadSize(model().weights).parameters);
  for (size_t i = 0; i < model().plan.layers.size(); ++i) {
    const LayerSizes sizes = SizesOf(model().weights.layers[i]);
    const size_t parameters = sizes.common.parameters + sizes.kv_source.parameters +
                              c.experts_per_token * sizes.expert.parameters;
    const PlannedLayer& layer = model().plan.layers[i];
    const size_t rows = layer.ratio == 1 ? 2 : 1;
    expected += static_cast<double>(2 * parameters + 4 * c.heads * c.head_dim * rows);
    if (layer.is_index_source && layer.ratio == 1) {
      expected += static_cast<double>(2 * c.index_heads * c.index_head_dim);
    }
  }
  EXPECT_EQ(Prefill(1, Replay::kFull).operations, expected);
}

}  // namespace
}  // namespace cedar
