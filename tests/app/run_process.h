#ifndef CEDAR_TESTS_APP_RUN_PROCESS_H_
#define CEDAR_TESTS_APP_RUN_PROCESS_H_

// Runs a program to its end, feeds its standard input and catches what it says.

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

namespace cedar::test {

struct ProcessOptions {
  std::string input = {};  // standard input
  bool closed_in = false;  // there is no standard input at all
  std::optional<std::string> out_path =
      {};                       // standard output goes to this file instead (/dev/full)
  bool closed_out = false;      // standard output is a pipe that nobody reads
  int signal_after_output = 0;  // sent once the first byte came out on standard output
};

struct ProcessResult {
  int exit_code = -1;  // 128 + signal if a signal killed it
  std::string out;
  std::string err;
};

// arguments[0] is the program. A test fails if it cannot be started.
ProcessResult RunProcess(const std::vector<std::string>& arguments,
                         const ProcessOptions& options = {});

// The program under test, with the arguments of its command line.
ProcessResult RunCedar(std::vector<std::string> arguments, const ProcessOptions& options = {});

}  // namespace cedar::test

#endif  // CEDAR_TESTS_APP_RUN_PROCESS_H_
