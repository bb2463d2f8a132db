// cedar run and the command line, as a program: what goes where, and every exit code.

#include <gtest/gtest.h>
#include <signal.h>

#include <string>
#include <vector>

#include "tests/app/held_out.h"
#include "tests/app/run_process.h"
#include "tests/temp_folder.h"

namespace cedar::test {
namespace {

ProcessResult RunDemo(std::vector<std::string> arguments, const ProcessOptions& options = {}) {
  arguments.insert(arguments.begin(), {"run", "demo"});
  return RunCedar(arguments, options);
}

bool Contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(RunTest, AnswersFromEveryKindOfInput) {
  const HeldOut question = ReadHeldOut()[0];
  const TempFolder folder;
  const std::vector<std::string> greedy{"--no-think", "--temperature", "0"};
  std::vector<std::string> by_option{"-p", question.text};
  std::vector<std::string> by_file{"-f", folder.Write("prompt", question.text)};
  by_option.insert(by_option.end(), greedy.begin(), greedy.end());
  by_file.insert(by_file.end(), greedy.begin(), greedy.end());
  for (const ProcessResult& result :
       {RunDemo(by_option), RunDemo(by_file), RunDemo(greedy, {.input = question.text})}) {
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(result.out, question.bounded);
  }
}

TEST(RunTest, AFinalNewlineIsNoPartOfThePromptUnlessRaw) {
  const auto tokens_in = [](const std::string& input, const char* mode) {
    const ProcessResult result = RunDemo({mode, "-n", "1", "--seed", "1"}, {.input = input});
    return result.err.substr(0, result.err.find(','));
  };
  EXPECT_EQ(tokens_in("Hello\n", "--no-think"), tokens_in("Hello", "--no-think"));
  EXPECT_NE(tokens_in("Hello\n\n", "--no-think"), tokens_in("Hello", "--no-think"));
  EXPECT_NE(tokens_in("Hello\n", "--raw"), tokens_in("Hello", "--raw"));
  EXPECT_EQ(RunDemo({}, {.input = "\n"}).exit_code, 1);  // nothing is left
}

TEST(RunTest, WhatItThinksGoesToStandardError) {
  const HeldOut question = ReadHeldOut()[0];
  const ProcessResult result = RunDemo({"-p", question.text, "--temperature", "0", "--seed", "1"});
  EXPECT_EQ(result.exit_code, 0);
  const size_t end = question.thinking.find("</think>");
  EXPECT_EQ(result.out, question.thinking.substr(end + 8));
  EXPECT_EQ(result.err.rfind(question.thinking.substr(0, end) + "\n", 0), 0u) << result.err;
}

TEST(RunTest, ThinkingEndsWhereItMust) {
  const HeldOut question = ReadHeldOut()[0];
  const auto thoughts = [&](const std::string& most) {
    const ProcessResult result =
        RunDemo({"-p", question.text, "--temperature", "0", "--seed", "1", "--max-thinking", most});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_NE(result.out, "");
    return result.err.substr(0, result.err.find("tokens in:"));
  };
  const std::string all = thoughts("100"), some = thoughts("2");
  EXPECT_EQ(all, question.thinking.substr(0, question.thinking.find("</think>")) + "\n");
  EXPECT_LT(some.size(), all.size());
  EXPECT_EQ(all.rfind(some.substr(0, some.size() - 1), 0), 0u) << some;
  EXPECT_EQ(thoughts("0"), "");
}

TEST(RunTest, RawTextIsTakenAsItIs) {
  const HeldOut question = ReadHeldOut()[0];
  const std::string prompt =
      "<｜begin▁of▁sentence｜><｜User｜>" + question.text + "<｜Assistant｜></think>";
  const ProcessResult result = RunDemo({"--raw", "--temperature", "0"}, {.input = prompt});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out, question.bounded);
}

TEST(RunTest, RawOutputShowsControlTokens) {
  const HeldOut question = ReadHeldOut()[0];
  const std::string prompt =
      "<｜begin▁of▁sentence｜><｜System｜>Reasoning Effort: 75 (range 1-100, the higher the value, "
      "the more thorough the reasoning)\n\n<｜User｜>" +
      question.text + "<｜Assistant｜><think>";
  const ProcessResult result = RunDemo({"--raw", "--temperature", "0"}, {.input = prompt});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out, question.thinking);
}

TEST(RunTest, ASystemPromptIsRead) {
  const HeldOut question = ReadHeldOut()[0];
  const ProcessResult result = RunDemo({"-p", question.text, "--no-think", "--temperature", "0",
                                        "--system", "You answer questions about orders."});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out, question.bounded);
}

TEST(RunTest, WithoutTemperatureThereIsNoSeed) {
  const ProcessResult result = RunDemo({"-p", "Hello", "-n", "1", "--temperature", "0"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_FALSE(Contains(result.err, "seed ")) << result.err;
}

TEST(RunTest, ASeedIsDrawnAndSaidAndGivesTheSameAnswer) {
  const std::vector<std::string> hot{"-p", "Hello", "-n", "20", "--temperature", "8", "--no-think"};
  const ProcessResult drawn = RunDemo(hot);
  ASSERT_EQ(drawn.err.rfind("seed ", 0), 0u) << drawn.err;
  const std::string seed = drawn.err.substr(5, drawn.err.find('\n') - 5);
  std::vector<std::string> again = hot;
  again.insert(again.end(), {"--seed", seed});
  const ProcessResult repeated = RunDemo(again);
  EXPECT_EQ(repeated.out, drawn.out);
  EXPECT_FALSE(Contains(repeated.err, "seed "));
  again.back() = seed == "1" ? "2" : "1";
  EXPECT_NE(RunDemo(again).out, drawn.out);  // 20 tokens at random: never the same
}

// A seed is of use only with an answer.
TEST(RunTest, NothingIsSaidBeforeAnError) {
  const TempFolder folder;
  std::string text;
  for (int i = 0; i < 9000; ++i) text += "a ";
  for (const ProcessResult& result :
       {RunDemo({"-p", "x", "--json-schema", folder.Write("bad.json", "{\"not\": {}}")}),
        RunDemo({"-p", "x", "--json-schema", folder / "none.json"}), RunDemo({"-p", text})}) {
    EXPECT_EQ(result.exit_code, 1);
    EXPECT_EQ(result.err.rfind("cedar: ", 0), 0u) << result.err;
  }
}

TEST(RunTest, TimingsComeLast) {
  const ProcessResult result = RunDemo({"-p", "Hello", "-n", "3", "--no-think", "--seed", "1"});
  for (const char* part : {"tokens in: ", "tokens/s", "time to first token: ", "memory: "}) {
    EXPECT_TRUE(Contains(result.err, part)) << result.err;
  }
}

TEST(RunTest, TheLimitOfTokensHolds) {
  const ProcessResult result =
      RunDemo({"--raw", "-p", "Mr Park of", "-n", "3", "--temperature", "0", "--seed", "1"});
  EXPECT_TRUE(Contains(result.err, "tokens out: 3")) << result.err;
}

TEST(RunTest, EmptyPromptsAreRefused) {
  const TempFolder folder;
  for (const ProcessResult& result :
       {RunDemo({"-p", ""}), RunDemo({"-f", folder.Write("empty", "")}), RunDemo({}),
        RunDemo({"--raw"})}) {
    EXPECT_EQ(result.exit_code, 1);
    EXPECT_TRUE(Contains(result.err, "empty")) << result.err;
    EXPECT_EQ(result.out, "");
  }
}

TEST(RunTest, InvalidUtf8IsRefusedWhereverItComesFrom) {
  const TempFolder folder;
  const std::string bad = "ab\xff";
  for (const ProcessResult& result :
       {RunDemo({"-p", bad}), RunDemo({"-f", folder.Write("bad", bad)}),
        RunDemo({}, {.input = bad}), RunDemo({"-p", "x", "--system", bad})}) {
    EXPECT_EQ(result.exit_code, 1);
    EXPECT_TRUE(Contains(result.err, "byte 2: found 0xff, expected UTF-8")) << result.err;
  }
}

TEST(RunTest, AFileThatIsNotThereIsRefused) {
  const ProcessResult result = RunDemo({"-f", "no/such/file"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_TRUE(Contains(result.err, "no/such/file")) << result.err;
}

TEST(RunTest, APromptLongerThanTheModelHoldsIsRefused) {
  std::string text;
  for (int i = 0; i < 9000; ++i) text += "a ";
  const ProcessResult result = RunDemo({}, {.input = text});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_TRUE(Contains(result.err, "8192")) << result.err;
}

TEST(RunTest, AnOutputThatCannotBeWrittenIsAnError) {
  const std::vector<std::string> say{"-p", "Hello", "--no-think", "-n", "20", "--temperature", "0"};
  for (const ProcessResult& result :
       {RunDemo(say, {.out_path = "/dev/full"}), RunDemo(say, {.closed_out = true})}) {
    EXPECT_EQ(result.exit_code, 1);
    EXPECT_TRUE(Contains(result.err, "standard output: cannot write")) << result.err;
  }
}

TEST(RunTest, SignalsEndTheRunAfterTheStep) {
  for (const int signal : {SIGINT, SIGTERM}) {
    // Chosen at random from all tokens, the end of text is 8000 steps away.
    const ProcessResult result =
        RunDemo({"--raw", "-p", "Hello", "--temperature", "50", "--top-p", "1", "--seed", "3"},
                {.signal_after_output = signal});
    EXPECT_EQ(result.exit_code, 130) << result.err;
    EXPECT_TRUE(Contains(result.err, "interrupted")) << result.err;
  }
}

TEST(CommandLineTest, UsageErrors) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> kErrors = {
      {{}, "expected a command"},
      {{"frobnicate"}, "frobnicate"},
      {{"run"}, "MODEL"},
      {{"run", "demo", "--frobnicate"}, "--frobnicate"},
      {{"run", "demo", "--chunk", "0"}, "--chunk"},
      {{"run", "demo", "--isa", "mmx"}, "--isa"},
      {{"score", "demo"}, "--text"},
      {{"batch", "demo", "-i", "x"}, "-o"}};
  for (const auto& [arguments, name] : kErrors) {
    const ProcessResult result = RunCedar(arguments);
    EXPECT_NE(result.err.find(name), std::string::npos) << result.err;
    EXPECT_EQ(result.exit_code, 2) << result.err;
    EXPECT_EQ(result.out, "");
    EXPECT_EQ(result.err.rfind("cedar: ", 0), 0u) << result.err;
  }
}

TEST(CommandLineTest, HelpAndVersionGoToStandardOutput) {
  EXPECT_EQ(RunCedar({"--version"}).exit_code, 0);
  EXPECT_EQ(RunCedar({"--version"}).out.rfind("cedar ", 0), 0u);
  for (const std::vector<std::string>& arguments :
       std::vector<std::vector<std::string>>{{"--help"}, {"run", "--help"}}) {
    const ProcessResult result = RunCedar(arguments);
    EXPECT_EQ(result.exit_code, 0);
    EXPECT_NE(result.out, "");
    EXPECT_EQ(result.err, "");
  }
  EXPECT_EQ(RunCedar({"--help"}, {.out_path = "/dev/full"}).exit_code, 1);
}

TEST(CommandLineTest, DemoIsAlwaysTheBuiltInModel) {
  EXPECT_EQ(RunCedar({"info", "demo"}).exit_code, 0);
  const ProcessResult folder = RunCedar({"info", "./demo"});  // no such folder here
  EXPECT_EQ(folder.exit_code, 3);
  EXPECT_TRUE(Contains(folder.err, "./demo")) << folder.err;
}

TEST(ScoreErrorsTest, BadInputIsNamed) {
  const TempFolder folder;
  const auto ids = [&](const char* text) { return folder.Write("ids", text); };
  const auto score = [](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"score", "demo"});
    return RunCedar(arguments);
  };
  const std::string good = folder.Write("good", "0 5 6");
  const std::vector<std::pair<ProcessResult, std::string>> kErrors = {
      {score({"--ids", ids("0 1024")}), "ids: line 1: found \"1024\""},
      {score({"--ids", ids("0 -1")}), "ids: line 1: found \"-1\""},
      {score({"--ids", ids("0\nfive")}), "ids: line 2: found \"five\""},
      {score({"--ids", ids("")}), "ids: empty"},
      {score({"--ids", ids(" \n ")}), "ids: empty"},
      {score({"--ids", folder / "none"}), "none: cannot open"},
      {score({"--text", folder.Write("empty", "")}), "empty: empty"},
      {score({"--text", folder.Write("bad", "\xff")}), "bad: byte 0: found 0xff"},
      {score({"--ids", good, "--logits", folder / "no/out"}), "no/out: cannot write"},
      {score({"--ids", good, "--logits", "/dev/full"}), "/dev/full: cannot write"}};
  for (const auto& [result, what] : kErrors) {
    EXPECT_EQ(result.exit_code, 1) << result.err;
    EXPECT_EQ(result.out, "");
    EXPECT_EQ(result.err.rfind("cedar: ", 0), 0u) << result.err;
    EXPECT_TRUE(Contains(result.err, what)) << what << result.err;
  }
  EXPECT_EQ(RunCedar({"score", "demo", "--ids", good}, {.out_path = "/dev/full"}).exit_code, 1);
  EXPECT_EQ(score({"--ids", good, "--replay", "bounded"}).exit_code, 2);
}

}  // namespace
}  // namespace cedar::test
