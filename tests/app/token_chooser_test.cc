#include "app/token_chooser.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "app/json_schema.h"
#include "tests/weights/tokenizer_data.h"
#include "weights/random.h"

namespace cedar {
namespace {

using Ids = std::vector<int32_t>;

int32_t Id(const char* text) {
  const Ids ids = DemoTokenizer().EncodePlain(text);
  EXPECT_EQ(ids.size(), 1u) << text;
  return ids.at(0);
}

class TokenChooserTest : public testing::Test {
 protected:
  TokenChooserTest() { options.sampling.temperature = 0; }

  Ids Choose(size_t count, const Ids& prompt = {}) const {
    TokenChooser chooser(tokens, options, prompt);
    Ids chosen;
    while (chosen.size() < count) chosen.push_back(chooser.Next(logits).token.id);
    EXPECT_EQ(chooser.count(), count);
    return chosen;
  }
  void Set(int32_t id, float logit) { logits[static_cast<size_t>(id)] = logit; }

  const size_t vocab = static_cast<size_t>(DemoTokenizer().size());
  const ModelTokens tokens{DemoTokenizer(), vocab};
  const int32_t a = Id("a"), b = Id("b"), c = Id("c");
  const int32_t end = *tokens.end, think_end = *tokens.think_end;
  AnswerOptions options;
  std::vector<float> logits = std::vector<float>(vocab, -100.0f);
};

TEST_F(TokenChooserTest, PresenceCountsOnceAndFrequencyEachTime) {
  options.presence_penalty = 0.4;
  options.frequency_penalty = 0.35;
  Set(a, 5);
  Set(b, 4);
  // a: 5, 4.25, 3.9, 3.55, 3.2; b: 4, 3.25, 2.9.
  EXPECT_EQ(Choose(6), (Ids{a, a, b, a, a, b}));
  // The prompt does not count.
  EXPECT_EQ(Choose(1, {a, a, a, a, a, a}), Ids{a});
}

TEST_F(TokenChooserTest, RepetitionCountsThePromptToo) {
  options.repetition_penalty = 2;
  Set(a, 3);
  Set(b, 2);
  // a: 3, or 1.5 once it was there; b: 2, then 1.
  EXPECT_EQ(Choose(3), (Ids{a, b, a}));
  EXPECT_EQ(Choose(3, {a}), (Ids{b, a, a}));
}

TEST_F(TokenChooserTest, RepetitionMakesNegativeLogitsLower) {
  options.repetition_penalty = 2;
  Set(a, -1);
  Set(b, -1.5);
  // a: -2 for the prompt; b: -1.5, then -3.
  EXPECT_EQ(Choose(2, {a}), (Ids{b, a}));
}

TEST_F(TokenChooserTest, BiasIsAdded) {
  Set(a, 5);
  Set(b, 4);
  options.logit_bias = {{b, 0.5}};
  EXPECT_EQ(Choose(1), Ids{a});
  options.logit_bias = {{b, 1.5}};
  EXPECT_EQ(Choose(1), Ids{b});
  options.logit_bias = {{a, -100}};
  EXPECT_EQ(Choose(1), Ids{b});
}

TEST_F(TokenChooserTest, NothingEndsBeforeTheLeastTokens) {
  options.min_tokens = 3;
  options.stop_ids = {b};
  Set(end, 9);
  Set(b, 8);
  Set(a, 7);
  EXPECT_EQ(Choose(4), (Ids{a, a, a, end}));
  Set(end, 0);
  EXPECT_EQ(Choose(4), (Ids{a, a, a, b}));
  TokenChooser chooser(tokens, options, {});
  EXPECT_TRUE(chooser.Ends(b));
  EXPECT_TRUE(chooser.Ends(end));
  EXPECT_FALSE(chooser.Ends(a));
}

TEST_F(TokenChooserTest, TheEndOfTextMayBeIgnored) {
  options.ignore_eos = true;
  options.stop_ids = {c};
  const TokenChooser chooser(tokens, options, {});
  EXPECT_FALSE(chooser.Ends(end));
  EXPECT_TRUE(chooser.Ends(c));
}

TEST_F(TokenChooserTest, ANewTurnEndsTheAnswer) {
  const TokenChooser chooser(tokens, options, {});
  for (const char* name :
       {"<｜User｜>", "<｜Assistant｜>", "<｜System｜>", "<｜begin▁of▁sentence｜>"}) {
    const auto id = DemoTokenizer().FindControl(name);
    ASSERT_TRUE(id) << name;
    EXPECT_TRUE(chooser.Ends(*id)) << name;
  }
}

TEST_F(TokenChooserTest, TooMuchThinkingIsEnded) {
  options.thinking = true;
  options.max_thinking = 3;
  Set(a, 5);
  EXPECT_EQ(Choose(5), (Ids{a, a, a, think_end, a}));
  options.max_thinking = 0;
  EXPECT_EQ(Choose(2), (Ids{think_end, a}));
  options.thinking = false;  // there is nothing to end
  EXPECT_EQ(Choose(2), (Ids{a, a}));
}

TEST_F(TokenChooserTest, ThinkingThatEndedIsNotEndedAgain) {
  options.thinking = true;
  options.max_thinking = 2;
  TokenChooser chooser(tokens, options, {});
  Set(think_end, 5);
  EXPECT_EQ(chooser.Next(logits).token.id, think_end);
  Set(think_end, -100);
  Set(a, 5);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(chooser.Next(logits).token.id, a);
}

TEST_F(TokenChooserTest, RowsOfTheHeadWithoutATokenAreNeverChosen) {
  const ModelTokens wider(DemoTokenizer(), vocab + 2);
  ASSERT_EQ(wider.forbidden.size(), tokens.forbidden.size() + 2);
  logits.resize(vocab + 2, 50.0f);
  Set(a, 1);
  TokenChooser chooser(wider, options, {});
  EXPECT_EQ(chooser.Next(logits).token.id, a);
}

TEST_F(TokenChooserTest, LogProbabilitiesAreTheModelsOwn) {
  options.top_logprobs = 2;
  options.logit_bias = {{b, 5}};
  options.presence_penalty = 1;
  options.sampling.temperature = 0;
  // e^-100 more in the sum 4 does not show in a double.
  Set(a, std::log(3.0f));
  Set(b, 0);
  TokenChooser chooser(tokens, options, {});
  for (int i = 0; i < 2; ++i) {
    const ChosenToken chosen = chooser.Next(logits);
    EXPECT_EQ(chosen.token.id, b);
    // log(3) as a float is off by at most half of 2^-23.
    EXPECT_NEAR(chosen.token.logprob, std::log(0.25), 1e-7);
    ASSERT_EQ(chosen.top.size(), 2u);
    EXPECT_EQ(chosen.top[0].id, a);
    EXPECT_NEAR(chosen.top[0].logprob, std::log(0.75), 1e-7);
    EXPECT_EQ(chosen.top[1].id, b);
  }
}

TEST_F(TokenChooserTest, EquallyLikelyTokensRankById) {
  options.top_logprobs = 3;
  for (const int32_t id : {a, b, c}) Set(id, 1);
  TokenChooser chooser(tokens, options, {});
  const ChosenToken chosen = chooser.Next(logits);
  Ids sorted = {a, b, c};
  std::sort(sorted.begin(), sorted.end());
  EXPECT_EQ(chosen.token.id, sorted[0]);
  for (size_t i = 0; i < 3; ++i) EXPECT_EQ(chosen.top[i].id, sorted[i]);
}

TEST_F(TokenChooserTest, DrawsAreTheSeedsOwn) {
  options.sampling = {.temperature = 1, .top_p = 1};
  for (const int32_t id : {a, b, c}) Set(id, 1);
  options.seed = 1;
  const Ids first = Choose(40);
  EXPECT_EQ(Choose(40), first);
  options.seed = 2;
  EXPECT_NE(Choose(40), first);
}

// Two answers share a grammar that forgets its states before every token: they go on as they would
// with one that remembers.
TEST_F(TokenChooserTest, AGrammarThatBeginsAnewChangesNothing) {
  const auto vocabulary = std::make_shared<Vocabulary>(DemoTokenizer());
  const auto answers = [&](size_t most_bytes) {
    options.grammar = std::make_shared<TokenMasks>(GrammarOfAnyObject(), vocabulary, most_bytes);
    Random random(5);
    TokenChooser first(tokens, options, {}), second(tokens, options, {});
    Ids chosen;
    for (int step = 0; step < 40; ++step) {
      for (float& logit : logits) logit = static_cast<float>(random.NextUnit());
      for (TokenChooser* chooser : {&first, &second}) {
        if (!chosen.empty() && chooser->Ends(chosen.back())) return chosen;
        chosen.push_back(chooser->Next(logits).token.id);
      }
    }
    return chosen;
  };
  const Ids remembered = answers(size_t{16} << 20);
  EXPECT_EQ(options.grammar->renewals(), 0u);
  EXPECT_GT(remembered.size(), 4u);
  EXPECT_EQ(answers(1), remembered);
  EXPECT_GE(options.grammar->renewals(), remembered.size() - 1);
}

}  // namespace
}  // namespace cedar
