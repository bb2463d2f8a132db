#include "app/answer_builder.h"

#include <gtest/gtest.h>

#include "tests/weights/tokenizer_data.h"

namespace cedar {
namespace {

const ModelTokens& Tokens() {
  static const ModelTokens tokens(DemoTokenizer(), static_cast<size_t>(DemoTokenizer().size()));
  return tokens;
}

AnswerOptions Options(std::vector<std::string> stop = {}) {
  AnswerOptions options;
  options.max_tokens = 1000;
  options.stop = std::move(stop);
  return options;
}

// Pushes the tokens of the text, each byte of a word by itself so that nothing hangs on how the
// tokenizer cuts, until the answer is over; then its end.
Answer Build(const AnswerOptions& options, const std::string& text) {
  AnswerBuilder builder(Tokens(), options);
  std::vector<int32_t> ids;
  for (size_t at = 0; at < text.size();) {
    constexpr std::string_view kEnd = "</think>";
    if (text.compare(at, kEnd.size(), kEnd) == 0) {
      ids.push_back(*Tokens().think_end);
      at += kEnd.size();
      continue;
    }
    size_t bytes = 1;  // of a code point
    while (at + bytes < text.size() && (text[at + bytes] & 0xC0) == 0x80) ++bytes;
    for (const int32_t id : DemoTokenizer().EncodePlain(text.substr(at, bytes))) ids.push_back(id);
    at += bytes;
  }
  for (const int32_t id : ids) {
    if (builder.Push({{id, 0}, {}})) return builder.Finish();
  }
  builder.PushEnd(1);
  return builder.Finish();
}

TEST(AnswerBuilderTest, TheTokenThatEndsCountsAndIsNoText) {
  const Answer answer = Build(Options(), "Yes.");
  EXPECT_EQ(answer.content, "Yes.");
  EXPECT_FALSE(answer.reasoning);
  EXPECT_EQ(answer.finish, FinishReason::kStop);
  EXPECT_EQ(answer.tokens, 5u);
  EXPECT_EQ(answer.reasoning_tokens, 0u);
}

TEST(AnswerBuilderTest, AStopStringReachesOverTokensAndIsCutOff) {
  const Answer answer = Build(Options({"world"}), "hello wo world and more");
  EXPECT_EQ(answer.content, "hello wo ");
  EXPECT_EQ(answer.finish, FinishReason::kStop);
  EXPECT_EQ(answer.tokens, std::string("hello wo world").size());
}

TEST(AnswerBuilderTest, AStopStringThatBeginsLikeItself) {
  EXPECT_EQ(Build(Options({"aab"}), "xaaab").content, "xa");
}

TEST(AnswerBuilderTest, TheFirstStopStringOfSeveralCuts) {
  EXPECT_EQ(Build(Options({"lo", "hello"}), "say hello").content, "say ");
  EXPECT_EQ(Build(Options({"zz", "ell"}), "say hello").content, "say h");
}

TEST(AnswerBuilderTest, StopStringsAreNotSearchedInTheReasoning) {
  AnswerOptions options = Options({"no"});
  options.thinking = true;
  const Answer answer = Build(options, "no, no</think>yes and no");
  EXPECT_EQ(answer.reasoning, "no, no");
  EXPECT_EQ(answer.content, "yes and ");
  EXPECT_EQ(answer.reasoning_tokens, 7u);
}

TEST(AnswerBuilderTest, AStopStringDoesNotReachBackIntoTheReasoning) {
  AnswerOptions options = Options({"ab"});
  options.thinking = true;
  const Answer answer = Build(options, "a</think>bc");
  EXPECT_EQ(answer.content, "bc");
}

TEST(AnswerBuilderTest, TheMostTokensEndIt) {
  AnswerOptions options = Options({"de"});
  options.max_tokens = 4;
  const Answer cut = Build(options, "abcdef");
  EXPECT_EQ(cut.content, "abcd");
  EXPECT_EQ(cut.finish, FinishReason::kLength);
  options.max_tokens = 5;  // the stop string comes with the last token
  const Answer stopped = Build(options, "abcdef");
  EXPECT_EQ(stopped.content, "abc");
  EXPECT_EQ(stopped.finish, FinishReason::kStop);
}

TEST(AnswerBuilderTest, ThinkingThatWasCutIsAllReasoning) {
  AnswerOptions options = Options();
  options.thinking = true;
  options.max_tokens = 3;
  const Answer answer = Build(options, "hmm so");
  EXPECT_EQ(answer.reasoning, "hmm");
  EXPECT_EQ(answer.content, "");
  EXPECT_EQ(answer.finish, FinishReason::kLength);
  EXPECT_EQ(answer.reasoning_tokens, 3u);
}

TEST(AnswerBuilderTest, RawTextKeepsControlTokens) {
  AnswerOptions options = Options();
  options.raw = true;
  EXPECT_EQ(Build(options, "a</think>b").content, "a</think>b");
}

TEST(AnswerBuilderTest, LogProbabilitiesOfEachToken) {
  AnswerOptions options = Options();
  options.top_logprobs = 0;
  EXPECT_EQ(Build(options, "abc").logprobs.size(), 3u);
  options.top_logprobs.reset();
  EXPECT_TRUE(Build(options, "abc").logprobs.empty());
}

constexpr char kCalls[] =
    "\n\n<｜DSML｜ calls>\n<｜DSML｜ invoke name=\"f\">\n\n</｜DSML｜ invoke>\n</｜DSML｜ calls>";

TEST(AnswerBuilderTest, CallsAreTakenOutOfTheText) {
  AnswerOptions options = Options();
  options.parse_calls = true;
  const Answer answer = Build(options, std::string("I look.") + kCalls);
  EXPECT_EQ(answer.content, "I look.");
  EXPECT_EQ(answer.finish, FinishReason::kToolCalls);
  ASSERT_EQ(answer.calls.size(), 1u);
  EXPECT_EQ(answer.calls[0].name, "f");
  EXPECT_EQ(answer.calls[0].arguments, "{}");
}

TEST(AnswerBuilderTest, CallsThatNobodyAskedForAreText) {
  const Answer answer = Build(Options(), kCalls);
  EXPECT_EQ(answer.content, kCalls);
  EXPECT_EQ(answer.finish, FinishReason::kStop);
}

TEST(AnswerBuilderTest, AnAnswerMayBeginInsideTheBlock) {
  AnswerOptions options = Options();
  options.parse_calls = options.open_call = true;
  const Answer answer =
      Build(options, "<｜DSML｜ invoke name=\"g\">\n\n</｜DSML｜ invoke>\n</｜DSML｜ calls>");
  ASSERT_EQ(answer.calls.size(), 1u);
  EXPECT_EQ(answer.calls[0].name, "g");
  EXPECT_EQ(answer.content, "");
}

}  // namespace
}  // namespace cedar
