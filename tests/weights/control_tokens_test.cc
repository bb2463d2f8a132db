#include "weights/control_tokens.h"

#include <gtest/gtest.h>

namespace cedar {
namespace {

// The segments as text, control tokens as [id].
std::string Show(const ControlTokens& tokens, std::string_view text) {
  std::string shown;
  for (const TextSegment& segment : tokens.Split(text)) {
    if (!shown.empty()) shown += "|";
    shown +=
        segment.control ? "[" + std::to_string(*segment.control) + "]" : std::string(segment.text);
  }
  return shown;
}

TEST(ControlTokens, CutsAtEachToken) {
  const ControlTokens tokens({{"<a>", 1, false}, {"</a>", 2, false}});
  EXPECT_EQ(Show(tokens, ""), "");
  EXPECT_EQ(Show(tokens, "plain < text"), "plain < text");
  EXPECT_EQ(Show(tokens, "<a>x</a><a>"), "[1]|x|[2]|[1]");
  EXPECT_EQ(Show(tokens, "<<a>>"), "<|[1]|>");
  EXPECT_EQ(Show(tokens, "x<a"), "x<a");
}

TEST(ControlTokens, TheLeftmostThenTheLongestWins) {
  const ControlTokens tokens({{"ab", 1, false}, {"abcd", 2, false}, {"bcde", 3, false}});
  EXPECT_EQ(Show(tokens, "abcde"), "[2]|e");
  EXPECT_EQ(Show(tokens, "abcx"), "[1]|cx");
  EXPECT_EQ(Show(tokens, "xbcde"), "x|[3]");
}

TEST(ControlTokens, NormalizedOnesComeAfterAllOthers) {
  const ControlTokens tokens({{"abc", 1, true}, {"cd", 2, false}});
  EXPECT_EQ(Show(tokens, "abcd"), "ab|[2]");
  EXPECT_EQ(Show(tokens, "abc cd abc"), "[1]| |[2]| |[1]");
}

TEST(ControlTokens, BytesAboveAsciiAreFound) {
  const ControlTokens tokens({{"｜D｜", 5, false}, {"<｜U｜>", 6, true}});
  EXPECT_EQ(Show(tokens, "，｜D｜<｜U｜>｜"), "，|[5]|[6]|｜");
}

TEST(ControlTokens, FindWantsTheWholeText) {
  const ControlTokens tokens({{"<a>", 1, false}, {"<b>", 2, true}});
  EXPECT_EQ(tokens.Find("<a>"), 1);
  EXPECT_EQ(tokens.Find("<b>"), 2);
  EXPECT_EQ(tokens.Find("<a>x"), std::nullopt);
  EXPECT_EQ(tokens.Find("<a"), std::nullopt);
  EXPECT_EQ(tokens.Find(""), std::nullopt);
}

TEST(ControlTokens, NoneAtAll) {
  const ControlTokens tokens({});
  EXPECT_EQ(Show(tokens, "<a>"), "<a>");
  EXPECT_EQ(tokens.Find("<a>"), std::nullopt);
}

}  // namespace
}  // namespace cedar
