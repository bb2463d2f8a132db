// Limits of a shell that are too small: always a message, never a crash.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/app/run_process.h"
#include "tests/paths.h"

namespace cedar::test {
namespace {

// A command of the program under a limit, "-v 65536"; what limits do not allow the shell itself
// fails the test.
ProcessResult RunLimited(const std::string& limit, const std::string& command) {
  return RunProcess(
      {"/bin/sh", "-c", "ulimit " + limit + " && exec \"$0\" " + command, CedarProgram()},
      {.input = "Hello"});
}

const char* const kCommands[] = {"--help",
                                 "info demo",
                                 "tokenize demo",
                                 "verify demo",
                                 "run demo -p Hi -n 2",
                                 "run demo -p Hi -n 2 --threads 16",
                                 "bench --machine -r 1 --threads 64"};

void ExpectAnAnswerOrAMessage(const std::string& limit) {
  for (const char* const command : kCommands) {
    const ProcessResult result = RunLimited(limit, command);
    if (result.exit_code == 0) continue;
    EXPECT_EQ(result.exit_code, 3) << limit << ": " << command << ": " << result.err;
    EXPECT_NE(result.err.find("cedar: "), std::string::npos) << limit << ": " << command;
  }
}

TEST(ProcessLimitsTest, LittleAddressSpace) {
  for (const int megabytes : {24, 48, 95, 97, 110, 130, 160, 200, 300}) {
    ExpectAnAnswerOrAMessage("-v " + std::to_string(megabytes * 1024));
  }
  const ProcessResult result = RunLimited("-v 40000", "info demo");
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_NE(result.err.find("address space (ulimit -v)"), std::string::npos) << result.err;
}

// The privileged may raise the limit, others hear of it.
TEST(ProcessLimitsTest, ASmallStack) {
  for (const int kilobytes : {64, 128, 512, 1024}) {
    ExpectAnAnswerOrAMessage("-s " + std::to_string(kilobytes));
  }
  // One that may be raised is.
  EXPECT_EQ(RunLimited("-S -s 100", "run demo -p Hi -n 2").exit_code, 0);
}

}  // namespace
}  // namespace cedar::test
