// cedar run on a terminal without a prompt: a conversation.

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/app/child_process.h"
#include "tests/app/run_process.h"

namespace cedar::test {
namespace {

using Options = std::vector<std::string>;

const Options kShort = {"--temperature", "0", "--no-think", "-n", "8"};

Options RunArguments(const Options& options) {
  Options all = {"run", "demo"};
  all.insert(all.end(), options.begin(), options.end());
  return all;
}

class Terminal {
 public:
  explicit Terminal(const Options& options = kShort)
      : run_(RunArguments(options), ChildProcess::Wires::kTerminal) {
    run_.ReadUntil("> ");
  }

  // What comes back until it asks for the next line. The terminal shows the line itself first, and
  // ends lines in its own way.
  std::string Say(const std::string& line) {
    Type(line);
    return Listen();
  }
  void Type(const std::string& line) {
    run_.Write(line + "\n");
    run_.ReadUntil("\n");
  }
  std::string Listen() {
    std::string text = run_.ReadUntil("> ");
    EXPECT_TRUE(text.ends_with("> ")) << text;
    text.resize(text.size() - std::min<size_t>(text.size(), 2));
    std::erase(text, '\r');
    return text;
  }
  int Exit() {
    run_.Write("/exit\n");
    return run_.Wait();
  }
  ChildProcess& process() { return run_; }

 private:
  ChildProcess run_;
};

std::string AnswerTo(const std::string& prompt, Options options = kShort) {
  options.insert(options.end(), {"-p", prompt});
  const ProcessResult result = RunCedar(RunArguments(options));
  EXPECT_EQ(result.exit_code, 0) << result.err;
  return result.out + "\n";  // which a conversation adds
}

TEST(ChatTest, TurnsFollowEachOther) {
  Terminal terminal;
  const std::string first = terminal.Say("Mr Park buys a rope.");
  EXPECT_EQ(first, AnswerTo("Mr Park buys a rope."));
  const std::string second = terminal.Say("Mr Park buys a rope.");
  EXPECT_GT(second.size(), 1u);
  EXPECT_NE(second, first);  // it knows that this was said before
  EXPECT_EQ(terminal.Say(""), "");
  EXPECT_EQ(terminal.Exit(), 0);
}

TEST(ChatTest, ClearForgetsTheTurns) {
  Terminal terminal;
  const std::string first = terminal.Say("Hello");
  terminal.Say("Where is the map?");
  EXPECT_EQ(terminal.Say("/clear"), "");
  EXPECT_EQ(terminal.Say("Hello"), first);
}

TEST(ChatTest, ASystemPromptBeginsAnew) {
  Terminal terminal;
  terminal.Say("Hello");
  EXPECT_EQ(terminal.Say("/system Answer from the ledger."), "");
  Options options = kShort;
  options.insert(options.end(), {"--system", "Answer from the ledger."});
  EXPECT_EQ(terminal.Say("Hello"), AnswerTo("Hello", options));
}

TEST(ChatTest, UnknownCommandsAreExplained) {
  Terminal terminal;
  EXPECT_NE(terminal.Say("/help").find("/clear, /system TEXT, /exit"), std::string::npos);
  EXPECT_EQ(terminal.Exit(), 0);
}

TEST(ChatTest, AnInterruptStopsTheAnswerOnly) {
  // Drawn from all tokens alike, and a seed whose answer is a thousand tokens long.
  Terminal terminal({"--temperature", "50", "--top-p", "1", "--no-think", "--seed", "59"});
  terminal.Type("Hello");
  terminal.process().AwaitOutput();  // the answer has begun
  terminal.process().Signal(SIGINT);
  terminal.process().ReadUntil("\n> ");   // drawn text may hold the prompt's two characters
  EXPECT_EQ(terminal.Say("/clear"), "");  // it is still there
  terminal.process().Signal(SIGINT);      // nothing to stop
  EXPECT_NE(terminal.Listen().find("(/exit ends)"), std::string::npos);
  EXPECT_EQ(terminal.Exit(), 0);
}

TEST(ChatTest, AnInterruptedTurnIsForgottenAndTheOthersAreNot) {
  // Token by token, so that the long line takes many times the wait below.
  Options options = kShort;
  options.insert(options.end(), {"--chunk", "1"});
  Terminal undisturbed(options);
  undisturbed.Say("Hello");
  const std::string expected = undisturbed.Say("Where is the map?");

  Terminal terminal(options);
  terminal.Say("Hello");
  std::string line;
  while (line.size() < 4000) line += "1 2 ";  // what a terminal takes as one line
  terminal.Type(line);
  usleep(50'000);
  terminal.process().Signal(SIGINT);
  EXPECT_EQ(terminal.Listen(), "\n");
  EXPECT_EQ(terminal.Say("Where is the map?"), expected);
}

}  // namespace
}  // namespace cedar::test
