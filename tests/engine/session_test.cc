// What a session refuses, and that a refusal leaves it as it was.

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "simd/error.h"
#include "tests/engine/golden_checkpoint.h"

namespace cedar {
namespace {

class SessionTest : public ::testing::Test {
 protected:
  const GoldenCheckpoint golden_{"odd"};
  const Engine engine_ = golden_.MakeEngine(AvailableIsas().front());
  const std::vector<int32_t> tokens_ = golden_.tokens();
};

// The message of the Error (kInput) that f throws.
std::string Refusal(const std::function<void()>& f) {
  try {
    f();
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::kInput);
    return e.what();
  }
  ADD_FAILURE() << "nothing was refused";
  return "";
}

TEST_F(SessionTest, RefusesWhatIsNoToken) {
  Session session(engine_, {.context = 100});
  const int32_t vocab = static_cast<int32_t>(engine_.config().vocab);
  for (const int32_t id : {-1, vocab, std::numeric_limits<int32_t>::max()}) {
    const std::vector<int32_t> ids = {5, id, 5};
    const std::string text = Refusal([&] { session.Prefill(ids); });
    EXPECT_NE(text.find(std::to_string(id)), std::string::npos) << text;
    EXPECT_NE(text.find(std::to_string(vocab - 1)), std::string::npos) << text;
    Refusal([&] { session.Decode(id); });
  }
  EXPECT_TRUE(session.tokens().empty());
  session.Prefill(std::vector<int32_t>{0, vocab - 1});
  EXPECT_EQ(session.tokens().size(), 2u);
}

TEST_F(SessionTest, RefusesAnEmptyPrompt) {
  Session bounded(engine_, {.context = 100});
  Session full(engine_, {.context = 100, .replay = Replay::kFull});
  Refusal([&] { bounded.Prefill({}); });
  Refusal([&] { full.Score({}, [](size_t, std::span<const float>) { FAIL(); }); });
}

TEST_F(SessionTest, FillsItsContextAndNoMore) {
  Session roomy(engine_, {.context = 100}), exact_fit(engine_, {.context = 41});
  const std::span<const int32_t> prompt = std::span(tokens_).first(40);
  const std::string text = Refusal([&] { exact_fit.Prefill(std::span(tokens_).first(42)); });
  EXPECT_NE(text.find("42"), std::string::npos) << text;
  EXPECT_NE(text.find("41"), std::string::npos) << text;
  for (Session* session : {&roomy, &exact_fit}) {
    session->Prefill(prompt);
    session->Decode(9);
  }
  const std::vector<float> logits(exact_fit.logits().begin(), exact_fit.logits().end());
  EXPECT_EQ(logits, std::vector<float>(roomy.logits().begin(), roomy.logits().end()));
  Refusal([&] { exact_fit.Decode(9); });
  Refusal([&] { exact_fit.Prefill(prompt); });
  EXPECT_EQ(exact_fit.tokens().size(), 41u);
  EXPECT_EQ(logits, std::vector<float>(exact_fit.logits().begin(), exact_fit.logits().end()));
}

TEST_F(SessionTest, HasNoMorePositionsThanTheModel) {
  const size_t positions = engine_.config().max_positions;
  EXPECT_EQ(Session(engine_, {}).context(), positions);
  EXPECT_EQ(Session(engine_, {.context = positions}).context(), positions);
  try {
    Session(engine_, {.context = positions + 1});
    FAIL() << "more positions than the model has";
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::kUsage);
  }
}

TEST_F(SessionTest, TellsItsProgress) {
  for (const Replay replay : {Replay::kBounded, Replay::kExact, Replay::kFull}) {
    Session session(engine_, {.context = 100, .chunk = 16, .replay = replay});
    std::vector<size_t> done;
    const auto note = [&](size_t tokens) { done.push_back(tokens); };
    session.Prefill(std::span(tokens_).first(5), /*last=*/false, note);
    session.Prefill(std::span(tokens_).subspan(5, 40), /*last=*/true, note);
    EXPECT_EQ(done, (std::vector<size_t>{5, 16, 32, 40})) << ReplayName(replay);
  }
}

TEST_F(SessionTest, RefusesAnIsaThatTheCpuLacks) {
  for (const Isa isa : AllIsas()) {
    const std::vector<Isa> here = AvailableIsas();
    if (std::find(here.begin(), here.end(), isa) != here.end()) {
      EXPECT_EQ(golden_.MakeEngine(isa).isa(), isa);
      continue;
    }
    try {
      golden_.MakeEngine(isa);
      FAIL() << IsaName(isa);
    } catch (const Error& e) {
      EXPECT_EQ(e.kind(), ErrorKind::kUsage);
      EXPECT_NE(std::string(e.what()).find(IsaName(isa)), std::string::npos) << e.what();
    }
  }
}

using SessionDeathTest = SessionTest;

TEST_F(SessionDeathTest, KeepsItsPromises) {
  Session full(engine_, {.context = 100, .replay = Replay::kFull});
  Session bounded(engine_, {.context = 100});
  EXPECT_DEATH(full.Reopen(), "replay");
  EXPECT_DEATH(bounded.Score(tokens_, [](size_t, std::span<const float>) {}), "replay");
  bounded.Prefill(std::span(tokens_).first(3), /*last=*/false);
  EXPECT_DEATH(bounded.Decode(5), "pending");
  EXPECT_DEATH(bounded.Reopen(), "group_count");  // 3 tokens leave a group of 2 unfinished
}

TEST(ReplayTest, NamesGoBothWays) {
  for (const Replay replay : {Replay::kBounded, Replay::kExact, Replay::kFull}) {
    EXPECT_EQ(ParseReplay(ReplayName(replay)), replay);
  }
  EXPECT_EQ(ParseReplay("Full"), std::nullopt);
  EXPECT_EQ(ParseReplay(""), std::nullopt);
}

}  // namespace
}  // namespace cedar
