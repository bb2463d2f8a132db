#include "tests/app/run_process.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string_view>

#include "tests/paths.h"

extern char** environ;

namespace cedar::test {
namespace {

struct Pipe {
  int read_end = -1;
  int write_end = -1;

  Pipe() {
    std::array<int, 2> ends{-1, -1};
    EXPECT_EQ(pipe2(ends.data(), O_CLOEXEC), 0);
    read_end = ends[0];
    write_end = ends[1];
  }
  ~Pipe() {
    CloseRead();
    CloseWrite();
  }
  void CloseRead() { Close(read_end); }
  void CloseWrite() { Close(write_end); }

 private:
  static void Close(int& descriptor) {
    if (descriptor >= 0) close(descriptor);
    descriptor = -1;
  }
};

struct Pipes {
  Pipe in;
  Pipe out;
  Pipe err;
};

pid_t Spawn(const std::vector<std::string>& arguments, const ProcessOptions& options,
            const Pipes& pipes) {
  std::vector<char*> argv;
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  if (options.closed_in) {
    posix_spawn_file_actions_addclose(&actions, STDIN_FILENO);
  } else {
    posix_spawn_file_actions_adddup2(&actions, pipes.in.read_end, STDIN_FILENO);
  }
  if (options.out_path) {
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, options.out_path->c_str(), O_WRONLY,
                                     0);
  } else {
    posix_spawn_file_actions_adddup2(&actions, pipes.out.write_end, STDOUT_FILENO);
  }
  posix_spawn_file_actions_adddup2(&actions, pipes.err.write_end, STDERR_FILENO);
  pid_t child = -1;
  EXPECT_EQ(posix_spawn(&child, argv[0], &actions, nullptr, argv.data(), environ), 0) << argv[0];
  posix_spawn_file_actions_destroy(&actions);
  return child;
}

// Appends what is there; closes the pipe at its end.
void ReadSome(Pipe& pipe, std::string& text) {
  std::array<char, 1 << 16> block;
  const ssize_t got = read(pipe.read_end, block.data(), block.size());
  if (got > 0) {
    text.append(block.data(), static_cast<size_t>(got));
  } else {
    pipe.CloseRead();
  }
}

void WriteSome(Pipe& pipe, std::string_view& left) {
  const ssize_t put = write(pipe.write_end, left.data(), left.size());
  if (put > 0) left.remove_prefix(static_cast<size_t>(put));
  // A program that ends without reading all of its input is no failure.
  if (put < 0 && errno != EAGAIN) left = {};
  if (left.empty()) pipe.CloseWrite();
}

// Moves bytes until the child has closed both of its outputs.
void Exchange(pid_t child, const ProcessOptions& options, Pipes& pipes, ProcessResult& result) {
  std::string_view left = options.input;
  fcntl(pipes.in.write_end, F_SETFL, O_NONBLOCK);
  if (left.empty()) pipes.in.CloseWrite();
  bool signalled = options.signal_after_output == 0;
  while (pipes.out.read_end >= 0 || pipes.err.read_end >= 0) {
    std::array<pollfd, 3> wait{{{pipes.in.write_end, POLLOUT, 0},
                                {pipes.out.read_end, POLLIN, 0},
                                {pipes.err.read_end, POLLIN, 0}}};
    if (poll(wait.data(), wait.size(), -1) < 0) break;
    if (wait[0].revents != 0) WriteSome(pipes.in, left);
    if (wait[1].revents != 0) ReadSome(pipes.out, result.out);
    if (wait[2].revents != 0) ReadSome(pipes.err, result.err);
    if (!signalled && !result.out.empty()) {
      kill(child, options.signal_after_output);
      signalled = true;
    }
  }
}

}  // namespace

ProcessResult RunProcess(const std::vector<std::string>& arguments, const ProcessOptions& options) {
  signal(SIGPIPE, SIG_IGN);
  Pipes pipes;
  ProcessResult result;
  const pid_t child = Spawn(arguments, options, pipes);
  if (child < 0) return result;
  pipes.in.CloseRead();
  pipes.out.CloseWrite();
  pipes.err.CloseWrite();
  if (options.closed_out) pipes.out.CloseRead();
  Exchange(child, options, pipes, result);
  int status = 0;
  waitpid(child, &status, 0);
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

ProcessResult RunCedar(std::vector<std::string> arguments, const ProcessOptions& options) {
  arguments.insert(arguments.begin(), CedarProgram());
  return RunProcess(arguments, options);
}

}  // namespace cedar::test
