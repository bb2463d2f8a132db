// cedar tokenize and cedar detokenize, as programs.

#include <gtest/gtest.h>

#include <string>

#include "tests/app/model_folder.h"
#include "tests/app/run_process.h"

namespace cedar::test {
namespace {

std::string Tokenize(const std::string& text) {
  const ProcessResult result = RunCedar({"tokenize", "demo"}, {.input = text});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.err, "");
  return result.out;
}

std::string Detokenize(const std::string& ids) {
  const ProcessResult result = RunCedar({"detokenize", "demo"}, {.input = ids});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  return result.out;
}

// All code points of one and two bytes, some of more: every byte that UTF-8 may hold.
std::string EveryByte() {
  std::string text;
  for (int c = 0; c < 0x80; ++c) text += static_cast<char>(c);
  for (int c = 0x80; c < 0x800; ++c) {
    text += {static_cast<char>(0xc0 | c >> 6), static_cast<char>(0x80 | (c & 0x3f))};
  }
  for (int lead = 0xe1; lead <= 0xef; ++lead) {
    text += {static_cast<char>(lead), static_cast<char>(lead == 0xed ? 0x9f : 0xa0), '\x81'};
  }
  text += "\xe0\xa0\x80";
  for (int lead = 0xf0; lead <= 0xf4; ++lead) {
    text += {static_cast<char>(lead), lead == 0xf4 ? '\x8f' : '\x90', '\x80', '\x82'};
  }
  return text;
}

TEST(TokenizeTest, EveryByteComesBack) {
  const std::string text = EveryByte();
  EXPECT_EQ(Detokenize(Tokenize(text)), text);
}

TEST(TokenizeTest, AFinalNewlineIsText) {
  EXPECT_NE(Tokenize("Oslo\n"), Tokenize("Oslo"));
  EXPECT_EQ(Detokenize(Tokenize("Oslo\n\n")), "Oslo\n\n");
}

TEST(TokenizeTest, ControlTokensAreRecognisedAndNothingIsAdded) {
  EXPECT_EQ(Tokenize("<｜begin▁of▁sentence｜><｜end▁of▁sentence｜>"), "0 1\n");
  EXPECT_EQ(Detokenize("0 1"), "<｜begin▁of▁sentence｜><｜end▁of▁sentence｜>");
}

TEST(TokenizeTest, NothingIsNoTokens) { EXPECT_EQ(Tokenize(""), "\n"); }

// Standard output of one is standard input of the other: a line, whatever the length.
TEST(TokenizeTest, ALongTextComesBack) {
  std::string text;
  while (text.size() < 300000) text += "Mr Park of Prague bought 9 grey maps. ";
  EXPECT_EQ(Detokenize(Tokenize(text)), text);
}

TEST(TokenizeTest, InvalidUtf8IsNamedByItsOffset) {
  const ProcessResult result = RunCedar({"tokenize", "demo"}, {.input = "abc\xc3(z"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_EQ(result.err, "cedar: standard input: byte 3: found 0xc3, expected UTF-8\n");
  EXPECT_EQ(result.out, "");
}

TEST(TokenizeTest, IdsOutOfRangeAreRefused) {
  for (const char* ids : {"1024", "-1", "7 99999999999", "x"}) {
    const ProcessResult result = RunCedar({"detokenize", "demo"}, {.input = ids});
    EXPECT_EQ(result.exit_code, 1) << ids;
    EXPECT_EQ(result.out, "") << ids;
    EXPECT_NE(result.err, "") << ids;
  }
}

TEST(TokenizeTest, TheTokenizerFileSuffices) {
  const ModelFolder model;
  model.Remove("config.json");
  model.Remove("model.safetensors");
  const ProcessResult result = RunCedar({"tokenize", model.path()}, {.input = "Oslo"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out, Tokenize("Oslo"));
}

std::string TokenizeChat(const std::string& body) {
  const ProcessResult result = RunCedar({"tokenize", "demo", "--chat"}, {.input = body});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  return result.out;
}

// The examples of text.md, C.3 (1 and 2).
TEST(TokenizeTest, ChatIsThePromptOfARequest) {
  EXPECT_EQ(TokenizeChat(R"({"messages": [{"role": "user", "content": "hello"}],
                             "reasoning_effort": "none"})"),
            Tokenize("<｜begin▁of▁sentence｜><｜User｜>hello<｜Assistant｜></think>"));
  EXPECT_EQ(TokenizeChat(R"({"messages": [{"role": "user", "content": "question"}]})"),
            Tokenize("<｜begin▁of▁sentence｜><｜System｜>Reasoning Effort: 75 (range 1-100, the "
                     "higher the value, the more thorough the reasoning)\n\n"
                     "<｜User｜>question<｜Assistant｜><think>"));
}

TEST(TokenizeTest, ChatRefusesWhatABatchRefuses) {
  const ProcessResult result =
      RunCedar({"tokenize", "demo", "--chat"}, {.input = R"({"messages": [], "stream": true})"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_EQ(result.out, "");
  EXPECT_NE(result.err, "");
}

}  // namespace
}  // namespace cedar::test
