#include "tests/app/child_process.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <utility>

#include "tests/paths.h"

extern char** environ;

namespace cedar::test {
namespace {

// The two ends of standard input and output: ours and the child's.
struct Ends {
  int in = -1, out = -1;
  int child_in = -1, child_out = -1, child_err = -1;
};

Ends OpenPipes() {
  std::array<int, 2> in{-1, -1}, out{-1, -1};
  EXPECT_EQ(pipe2(in.data(), O_CLOEXEC), 0);
  EXPECT_EQ(pipe2(out.data(), O_CLOEXEC), 0);
  return {in[1], out[0], in[0], out[1], open("/dev/null", O_WRONLY | O_CLOEXEC)};
}

Ends OpenTerminal() {
  int ours = -1, theirs = -1;
  EXPECT_EQ(openpty(&ours, &theirs, nullptr, nullptr, nullptr), 0);
  Ends ends = {ours, dup(ours), theirs, dup(theirs), dup(theirs)};
  for (const int end : {ends.in, ends.out, ends.child_in, ends.child_out, ends.child_err}) {
    fcntl(end, F_SETFD, FD_CLOEXEC);
  }
  return ends;
}

}  // namespace

ChildProcess::ChildProcess(std::vector<std::string> arguments, Wires wires) {
  signal(SIGPIPE, SIG_IGN);
  const Ends ends = wires == Wires::kTerminal ? OpenTerminal() : OpenPipes();
  in_ = ends.in;
  out_ = ends.out;
  arguments.insert(arguments.begin(), CedarProgram());
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends.child_in, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, ends.child_out, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, ends.child_err, STDERR_FILENO);
  EXPECT_EQ(posix_spawn(&pid_, argv[0], &actions, nullptr, argv.data(), environ), 0);
  posix_spawn_file_actions_destroy(&actions);
  for (const int end : {ends.child_in, ends.child_out, ends.child_err}) close(end);
}

ChildProcess::~ChildProcess() {
  Signal(SIGKILL);
  Wait();
  CloseInput();
  close(out_);
}

void ChildProcess::Write(std::string_view text) {
  while (!text.empty()) {
    const ssize_t put = write(in_, text.data(), text.size());
    if (put < 0) return;  // it has ended
    text.remove_prefix(static_cast<size_t>(put));
  }
}

void ChildProcess::CloseInput() {
  if (in_ >= 0) close(std::exchange(in_, -1));
}

bool ChildProcess::ReadMore() {
  constexpr int kMinute = 60000;  // milliseconds
  pollfd wait{out_, POLLIN, 0};
  std::array<char, 4096> block;
  const ssize_t got = poll(&wait, 1, kMinute) > 0 ? read(out_, block.data(), block.size()) : 0;
  if (got > 0) unread_.append(block.data(), static_cast<size_t>(got));
  return got > 0;
}

void ChildProcess::AwaitOutput() {
  if (unread_.empty()) ReadMore();
}

std::string ChildProcess::ReadUntil(std::string_view end) {
  while (unread_.find(end) == unread_.npos) {
    if (!ReadMore()) return std::exchange(unread_, "");
  }
  const std::string text = unread_.substr(0, unread_.find(end) + end.size());
  unread_.erase(0, text.size());
  return text;
}

void ChildProcess::Signal(int number) const {
  if (!exit_code_ && pid_ > 0) kill(pid_, number);
}

void ChildProcess::Reap(int options) {
  int status = 0;
  if (exit_code_ || waitpid(pid_, &status, options) != pid_) return;
  exit_code_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

std::optional<int> ChildProcess::Poll() {
  Reap(WNOHANG);
  return exit_code_;
}

int ChildProcess::Wait() {
  Reap(0);
  return exit_code_.value_or(-1);
}

}  // namespace cedar::test
