// What must hold to the bit, with fast kernels too: results do not depend on the replay mode where
// the mode promises so, nor on chunks, calls, threads, or on what else an engine computes (issue
// 1).

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "engine/engine.h"
#include "engine/model.h"
#include "simd/error.h"
#include "tests/engine/golden_checkpoint.h"

namespace cedar {
namespace {

using Logits = std::vector<float>;

Logits LogitsOf(const Session& session) {
  return {session.logits().begin(), session.logits().end()};
}

class PropertyTest : public ::testing::TestWithParam<std::tuple<Isa, std::string>> {
 protected:
  void SetUp() override {
    const std::vector<Isa> here = AvailableIsas();
    if (std::find(here.begin(), here.end(), isa()) == here.end()) {
      GTEST_SKIP() << "not on this CPU: " << IsaName(isa());
    }
    golden_ = std::make_unique<GoldenCheckpoint>(std::get<std::string>(GetParam()));
    engine_ = std::make_unique<Engine>(golden_->MakeEngine(isa()));
    tokens_ = golden_->tokens();
  }

  static Isa isa() { return std::get<Isa>(GetParam()); }
  std::span<const int32_t> Tokens(size_t begin, size_t end) const {
    return std::span(tokens_).subspan(begin, end - begin);
  }

  Session MakeSession(Replay replay, size_t chunk, const Engine* engine = nullptr) const {
    return Session(engine != nullptr ? *engine : *engine_,
                   {.context = tokens_.size() + 8, .chunk = chunk, .replay = replay});
  }

  // Tokens [begin, end) in calls that are cut at `cuts`.
  void Prefill(Session& session, size_t begin, size_t end, std::vector<size_t> cuts = {}) const {
    cuts.push_back(end);
    for (const size_t cut : cuts) {
      session.Prefill(Tokens(begin, cut), cut == end);
      begin = cut;
    }
  }

  // The logits after the prompt, and after each of some generated tokens.
  static std::vector<Logits> Continue(Session& session) {
    std::vector<Logits> all = {LogitsOf(session)};
    for (const int32_t id : {7, 100, 7, 42}) {
      session.Decode(id);
      all.push_back(LogitsOf(session));
    }
    return all;
  }

  std::vector<Logits> Run(Replay replay, size_t chunk, std::vector<size_t> cuts = {},
                          const Engine* engine = nullptr) const {
    Session session = MakeSession(replay, chunk, engine);
    Prefill(session, 0, tokens_.size(), std::move(cuts));
    return Continue(session);
  }

  std::unique_ptr<GoldenCheckpoint> golden_;
  std::unique_ptr<Engine> engine_;
  std::vector<int32_t> tokens_;
};

constexpr Replay kReplays[] = {Replay::kBounded, Replay::kExact, Replay::kFull};

TEST_P(PropertyTest, ExactEqualsFull) {
  EXPECT_EQ(Run(Replay::kExact, 512), Run(Replay::kFull, 512));
}

TEST_P(PropertyTest, BoundedIsSomethingElse) {
  EXPECT_NE(Run(Replay::kBounded, 512), Run(Replay::kFull, 512));
}

TEST_P(PropertyTest, AnyChunkingEqualsOneChunk) {
  for (const Replay replay : kReplays) {
    const std::vector<Logits> whole = Run(replay, 512);
    EXPECT_EQ(Run(replay, 1), whole) << ReplayName(replay);
    EXPECT_EQ(Run(replay, 2, {1}), whole) << ReplayName(replay);
    EXPECT_EQ(Run(replay, 7, {1, 3, 4, 61}), whole) << ReplayName(replay);
    EXPECT_EQ(Run(replay, 40, {tokens_.size() - 1}), whole) << ReplayName(replay);
  }
}

TEST_P(PropertyTest, ScoreDoesNotDependOnChunks) {
  std::vector<std::vector<Logits>> all;
  for (const size_t chunk : {size_t{512}, size_t{1}, size_t{17}, size_t{33}}) {
    Session session = MakeSession(Replay::kFull, chunk);
    all.emplace_back();
    session.Score(tokens_, [&](size_t position, std::span<const float> logits) {
      EXPECT_EQ(position, all.back().size());
      all.back().emplace_back(logits.begin(), logits.end());
    });
    EXPECT_EQ(all.back().size(), tokens_.size());
    EXPECT_EQ(all.back(), all.front()) << "chunks of " << chunk;
    EXPECT_EQ(LogitsOf(session), all.back().back());
  }
  EXPECT_EQ(all.front().back(), Run(Replay::kFull, 512)[0]) << "a prompt's last row is no other";
}

TEST_P(PropertyTest, OneThreadEqualsMore) {
  for (const int threads : {2, 3}) {
    const Engine engine = golden_->MakeEngine(isa(), threads);
    EXPECT_EQ(engine.threads(), threads);
    EXPECT_EQ(Run(Replay::kBounded, 50, {}, &engine), Run(Replay::kBounded, 50));
    EXPECT_EQ(Run(Replay::kFull, 512, {}, &engine), Run(Replay::kFull, 512));
  }
}

TEST_P(PropertyTest, LoadedWeightsEqualMappedOnes) {
  const Engine engine =
      golden_->MakeEngine(isa(), 2, Numerics::kReference, WeightPlace::kHugePages);
  EXPECT_GT(engine.loaded_weight_bytes(), 0u);
  EXPECT_EQ(Run(Replay::kBounded, 50, {}, &engine), Run(Replay::kBounded, 50));
}

// On a machine of several nodes every matrix lies in several pieces.
TEST_P(PropertyTest, WeightsDividedAmongNodesEqualMappedOnes) {
  using Nodes = std::vector<simd::NodeThreads>;
  for (const Numerics numerics : {Numerics::kReference, Numerics::kInt8}) {
    const Engine mapped = golden_->MakeEngine(isa(), 1, numerics);
    const std::vector<Logits> expected = Run(Replay::kBounded, 50, {}, &mapped);
    for (const Nodes& nodes : {Nodes{{0, 1}, {1, 1}}, {{0, 1}, {1, 1}, {2, 1}}, {{1, 3}, {0, 1}}}) {
      for (const WeightPlace weights : {WeightPlace::kHugePages, WeightPlace::kMapped}) {
        const Engine engine = golden_->MakeEngine(
            {.isa = isa(), .numerics = numerics, .weights = weights, .nodes = nodes});
        const WeightMatrix& head = engine.model().weights.head;
        EXPECT_EQ(head.parts.size(), weights == WeightPlace::kHugePages ? nodes.size() : 0);
        EXPECT_EQ(Run(Replay::kBounded, 50, {}, &engine), expected)
            << nodes.size() << " nodes, " << NumericsName(numerics);
      }
    }
  }
}

TEST_P(PropertyTest, BoundedEqualsFullWithinOneWindow) {
  for (const size_t n : {size_t{1}, engine_->config().window - 1, engine_->config().window}) {
    Session bounded = MakeSession(Replay::kBounded, 512), full = MakeSession(Replay::kFull, 512);
    Prefill(bounded, 0, n);
    Prefill(full, 0, n);
    EXPECT_EQ(Continue(bounded), Continue(full)) << n << " tokens";
  }
}

TEST_P(PropertyTest, AReopenedPrefixDoesNotDependOnChunks) {
  const size_t split = static_cast<size_t>(golden_->Ints("split").values[0]);
  const auto reopened = [&](size_t chunk, std::vector<size_t> cuts) {
    Session session = MakeSession(Replay::kBounded, chunk);
    session.Prefill(Tokens(0, split), /*last=*/false);
    session.Reopen();
    Prefill(session, split, tokens_.size(), std::move(cuts));
    return Continue(session);
  };
  const std::vector<Logits> whole = reopened(512, {});
  EXPECT_EQ(reopened(1, {}), whole);
  EXPECT_EQ(reopened(5, {split + 1, split + 12}), whole);
  EXPECT_EQ(reopened(40, {split + 3}), whole);
}

// Reopening after the decoder has run and tokens were generated gives what a fresh prefix gives.
TEST_P(PropertyTest, ReopeningForgetsWhatCameBefore) {
  const size_t split = static_cast<size_t>(golden_->Ints("split").values[0]);
  Session fresh = MakeSession(Replay::kBounded, 512), used = MakeSession(Replay::kBounded, 512);
  fresh.Prefill(Tokens(0, split), /*last=*/false);
  fresh.Reopen();
  used.Prefill(Tokens(0, split));
  used.Reopen();
  for (Session* session : {&fresh, &used}) Prefill(*session, split, tokens_.size());
  EXPECT_EQ(Continue(used), Continue(fresh));
}

// A conversation: prompt, generated tokens, a second prompt.
TEST_P(PropertyTest, ASecondPromptDoesNotDependOnChunks) {
  const size_t n = tokens_.size();
  for (const Replay replay : kReplays) {
    const auto converse = [&](size_t chunk, std::vector<size_t> cuts) {
      Session session = MakeSession(replay, chunk);
      Prefill(session, 0, 50);
      session.Decode(9);
      session.Decode(11);
      Prefill(session, 50, n, std::move(cuts));
      return Continue(session);
    };
    const std::vector<Logits> whole = converse(512, {});
    EXPECT_EQ(converse(1, {}), whole) << ReplayName(replay);
    EXPECT_EQ(converse(9, {51, 80}), whole) << ReplayName(replay);
  }
}

TEST_P(PropertyTest, SessionsThatTakeTurnsDoNotMeet) {
  const std::vector<Logits> alone = Run(Replay::kBounded, 16);
  Session a = MakeSession(Replay::kBounded, 16), b = MakeSession(Replay::kFull, 512);
  a.Prefill(Tokens(0, 30), /*last=*/false);
  b.Prefill(Tokens(5, 90));
  a.Prefill(Tokens(30, tokens_.size()));
  std::vector<Logits> both = {LogitsOf(a)};
  for (const int32_t id : {7, 100, 7, 42}) {
    b.Decode(id + 1);
    a.Decode(id);
    both.push_back(LogitsOf(a));
  }
  EXPECT_EQ(both, alone);
}

TEST_P(PropertyTest, ALongContext) {
  const size_t context = engine_->config().max_positions;
  std::vector<int32_t> ids(context - 1);
  for (size_t i = 0; i < ids.size(); ++i) ids[i] = tokens_[i % tokens_.size()];
  std::vector<Logits> all;
  for (const size_t chunk : {size_t{512}, size_t{100}}) {
    Session session(*engine_, {.chunk = chunk});
    EXPECT_EQ(session.context(), context);
    session.Prefill(ids);
    session.Decode(7);
    all.push_back(LogitsOf(session));
    EXPECT_THROW(session.Decode(7), Error);
    EXPECT_EQ(session.tokens().size(), context);
  }
  EXPECT_EQ(all[0], all[1]);
}

std::vector<Isa> FastIsas() {
  std::vector<Isa> isas = AllIsas();
  std::erase(isas, Isa::kReference);
  return isas;
}

INSTANTIATE_TEST_SUITE_P(Golden, PropertyTest,
                         ::testing::Combine(::testing::ValuesIn(FastIsas()),
                                            ::testing::Values("tiny", "odd")),
                         [](const auto& info) {
                           return std::string(IsaName(std::get<Isa>(info.param))) + "_" +
                                  std::get<std::string>(info.param);
                         });

}  // namespace
}  // namespace cedar
