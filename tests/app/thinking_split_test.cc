#include "app/thinking_split.h"

#include <gtest/gtest.h>

#include "tests/weights/tokenizer_data.h"

namespace cedar {
namespace {

GeneratedText Feed(ThinkingSplit& split, const std::string& text) {
  GeneratedText all;
  const auto add = [&all](const GeneratedText& part) {
    all.reasoning += part.reasoning;
    all.answer += part.answer;
  };
  for (const int32_t id : RealTokenizer().EncodeWithControl(text)) add(split.Push(id));
  add(split.Finish());
  return all;
}

TEST(ThinkingSplit, ReasoningEndsAtItsToken) {
  ThinkingSplit split(RealTokenizer(), true);
  EXPECT_TRUE(split.thinking());
  const GeneratedText text = Feed(split, "I see.</think>Yes.\n");
  EXPECT_EQ(text.reasoning, "I see.");
  EXPECT_EQ(text.answer, "Yes.\n");
  EXPECT_FALSE(split.thinking());
  EXPECT_EQ(split.reasoning_tokens(), RealTokenizer().EncodeWithControl("I see.</think>").size());
}

TEST(ThinkingSplit, WithoutThinkingAllIsAnswer) {
  ThinkingSplit split(RealTokenizer(), false);
  const GeneratedText text = Feed(split, "a</think>b");
  EXPECT_EQ(text.reasoning, "");
  EXPECT_EQ(text.answer, "ab");
  EXPECT_EQ(split.reasoning_tokens(), 0u);
}

TEST(ThinkingSplit, ReasoningMayHaveNoEnd) {
  ThinkingSplit split(RealTokenizer(), true);
  const GeneratedText text = Feed(split, "so on");
  EXPECT_EQ(text.reasoning, "so on");
  EXPECT_EQ(text.answer, "");
  EXPECT_TRUE(split.thinking());
}

TEST(ThinkingSplit, OnlyTheTokenCountsNotItsSpelling) {
  ThinkingSplit split(RealTokenizer(), true);
  std::string reasoning;
  for (const int32_t id : RealTokenizer().EncodePlain("a</think>b")) {
    reasoning += split.Push(id).reasoning;
  }
  EXPECT_EQ(reasoning, "a</think>b");
}

TEST(ThinkingSplit, AnUnfinishedCodePointStaysOnItsSide) {
  ThinkingSplit split(RealTokenizer(), true);
  const std::vector<int32_t> bytes =
      RealTokenizer().EncodePlain("\U0001FAE8");  // in several tokens
  ASSERT_GT(bytes.size(), 1u);
  EXPECT_EQ(split.Push(bytes[0]).reasoning, "");
  const GeneratedText end = split.Push(*RealTokenizer().FindControl("</think>"));
  EXPECT_EQ(end.reasoning, "\uFFFD");
  EXPECT_EQ(end.answer, "");
  EXPECT_EQ(split.Push(bytes[0]).answer, "");
  EXPECT_EQ(split.Finish().answer, "\uFFFD");
}

}  // namespace
}  // namespace cedar
