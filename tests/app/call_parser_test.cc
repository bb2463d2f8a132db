#include "app/call_parser.h"

#include <gtest/gtest.h>

#include "tests/weights/tokenizer_data.h"

namespace cedar {
namespace {

// D stands for the mark in all texts here.
std::string Spell(std::string text) {
  constexpr std::string_view kMark = "｜DSML｜";
  for (size_t at = text.find('D'); at != text.npos; at = text.find('D', at + kMark.size())) {
    text.replace(at, 1, kMark);
  }
  return text;
}

std::string Block(const std::string& calls) {
  return Spell("\n\n<D calls>\n" + calls + "\n</D calls>");
}

std::string Weather(const std::string& parameters) {
  return Block("<D invoke name=\"get_weather\">\n" + parameters + "\n</D invoke>");
}

void ExpectText(const std::string& text) {
  std::string rest = text;
  EXPECT_TRUE(TakeCalls(rest).empty()) << text;
  EXPECT_EQ(rest, text);
}

// The example of text.md, C.3 (10).
TEST(CallParserTest, TheCallOfTheSpecification) {
  std::string text = Weather(
      "<D parameter name=\"location\" string=\"true\">Beijing</D parameter>\n"
      "<D parameter name=\"unit\" string=\"true\">celsius</D parameter>");
  const std::vector<ToolCall> calls = TakeCalls(text);
  ASSERT_EQ(calls.size(), 1u);
  EXPECT_EQ(calls[0].name, "get_weather");
  EXPECT_EQ(calls[0].arguments, R"({"location":"Beijing","unit":"celsius"})");
  EXPECT_EQ(text, "");
}

TEST(CallParserTest, TextBeforeTheBlockStaysWithoutItsLineBreaks) {
  std::string text = "Let me see.\n" + Weather("");
  EXPECT_EQ(TakeCalls(text).size(), 1u);
  EXPECT_EQ(text, "Let me see.");
}

TEST(CallParserTest, WhatComesBehindTheBlockIsDropped) {
  std::string text = Weather("") + "\nDone.";
  EXPECT_EQ(TakeCalls(text).size(), 1u);
  EXPECT_EQ(text, "");
}

TEST(CallParserTest, SeveralCallsInTheirOrder) {
  std::string text =
      Block("<D invoke name=\"b\">\n\n</D invoke>\n<D invoke name=\"ns::a\">\n\n</D invoke>");
  const std::vector<ToolCall> calls = TakeCalls(text);
  ASSERT_EQ(calls.size(), 2u);
  EXPECT_EQ(calls[0].name, "b");
  EXPECT_EQ(calls[1].name, "ns::a");
  EXPECT_EQ(calls[1].arguments, "{}");
}

TEST(CallParserTest, ValuesThatAreNoStrings) {
  std::string text = Weather(
      "<D parameter name=\"z\" string=\"false\">{\"k\": [1, 2.5, null, true]}</D parameter>\n"
      "<D parameter name=\"a\" string=\"false\">7</D parameter>");
  const std::vector<ToolCall> calls = TakeCalls(text);
  ASSERT_EQ(calls.size(), 1u);
  EXPECT_EQ(calls[0].arguments, R"({"z":{"k":[1,2.5,null,true]},"a":7})");  // in their order
}

TEST(CallParserTest, StringsAreRaw) {
  std::string text =
      Weather("<D parameter name=\"q\" string=\"true\">a \"b\"\n<c> & \\n 7 </D parameter>");
  const std::vector<ToolCall> calls = TakeCalls(text);
  ASSERT_EQ(calls.size(), 1u);
  EXPECT_EQ(calls[0].arguments, R"({"q":"a \"b\"\n<c> & \\n 7 "})");
}

TEST(CallParserTest, BlocksThatAreNotWellFormedStayText) {
  const std::string parameter = "<D parameter name=\"p\" string=\"true\">x</D parameter>";
  ExpectText("no calls at all");
  ExpectText(Spell("<D calls>"));
  ExpectText(Block(""));                              // no call
  ExpectText(Block("<D invoke name=\"f\">\n"));       // not closed
  ExpectText(Block("<D invoke f>\n\n</D invoke>"));   // no name
  ExpectText(Weather(parameter + "\n" + parameter));  // twice
  ExpectText(Weather("<D parameter name=\"p\">x</D parameter>"));
  ExpectText(Weather("<D parameter name=\"p\" string=\"false\">x</D parameter>"));  // no JSON
  ExpectText(Weather("<D parameter name=\"p\" string=\"maybe\">1</D parameter>"));
  ExpectText(Weather("<D parameter name=\"p\" string=\"true\">x"));
  ExpectText(Weather("<D parameter name=\"p\" string=\"true\">x</D invoke>"));
  ExpectText(Weather("words between"));
  std::string cut = Weather(parameter);
  cut.resize(cut.find("\n</｜DSML｜ calls"));
  ExpectText(cut);
}

TEST(CallParserTest, ThePromptOfAForcedCallOpensTheBlock) {
  std::vector<int32_t> prompt = {7};
  AppendOpenCall(RealTokenizer(), prompt);
  // text.md, C.4.
  EXPECT_EQ(prompt, (std::vector<int32_t>{7, 271, 30, 128825, 10699, 1018}));
}

}  // namespace
}  // namespace cedar
