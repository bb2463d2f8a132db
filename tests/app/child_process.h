#ifndef CEDAR_TESTS_APP_CHILD_PROCESS_H_
#define CEDAR_TESTS_APP_CHILD_PROCESS_H_

// The program under test while it runs: to talk with it, to watch it, to kill it.

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cedar::test {

class ChildProcess {
 public:
  enum class Wires {
    kPipes,     // standard input and output; what it says on standard error is dropped
    kTerminal,  // all three are one pseudo terminal
  };

  // Arguments of cedar's command line.
  explicit ChildProcess(std::vector<std::string> arguments, Wires wires = Wires::kPipes);
  // Kills it if it still runs.
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  pid_t pid() const { return pid_; }

  void Write(std::string_view text);
  void CloseInput();
  // What it says up to and with `end`; less if it ends before or is silent for a minute.
  std::string ReadUntil(std::string_view end);
  // Waits until it has said more than was read.
  void AwaitOutput();

  void Signal(int number) const;
  // Its exit code (128 + signal if a signal killed it), if it has ended; Wait waits for it.
  std::optional<int> Poll();
  int Wait();

 private:
  // False if it ended or is silent for a minute.
  bool ReadMore();
  void Reap(int options);

  pid_t pid_ = -1;
  int in_ = -1;   // to its standard input
  int out_ = -1;  // from its standard output
  std::string unread_;
  std::optional<int> exit_code_;
};

}  // namespace cedar::test

#endif  // CEDAR_TESTS_APP_CHILD_PROCESS_H_
