#include "app/interrupt.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>

namespace cedar {
namespace {

// The two things that a signal handler may touch: which one came, and what wakes AwaitInput.
volatile std::sig_atomic_t interrupted = 0;
volatile std::sig_atomic_t event = -1;

void Remember(int signal) {
  const int before = errno;
  interrupted = signal;
  const uint64_t one = 1;
  // If the event could not be made, signals are still seen between the steps.
  [[maybe_unused]] const ssize_t put = write(event, &one, sizeof(one));
  errno = before;
}

void ForgetEvent() {
  uint64_t count;
  [[maybe_unused]] const ssize_t got = read(event, &count, sizeof(count));
}

}  // namespace

void InstallSignalHandlers() {
  if (event < 0) event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  struct sigaction action = {};
  action.sa_handler = Remember;
  sigemptyset(&action.sa_mask);
  // No SA_RESTART: a read that waits for input must return.
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  struct sigaction hang_up;
  sigaction(SIGHUP, nullptr, &hang_up);
  if (hang_up.sa_handler != SIG_IGN) sigaction(SIGHUP, &action, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
}

bool IsInterrupted() { return interrupted != 0; }

std::string InterruptName() {
  switch (interrupted) {
    case SIGTERM:
      return "SIGTERM";
    case SIGHUP:
      return "SIGHUP";
    default:
      return "SIGINT";
  }
}

void ClearInterrupt() {
  if (interrupted != SIGINT) CheckInterrupt();
  ForgetEvent();
  interrupted = 0;
  InstallSignalHandlers();
}

void CheckInterrupt() {
  if (IsInterrupted()) throw Interrupted();
}

void AwaitInput(int descriptor) {
  std::array<pollfd, 2> wait{{{descriptor, POLLIN, 0}, {event, POLLIN, 0}}};
  do {
    CheckInterrupt();
  } while (poll(wait.data(), wait.size(), -1) < 0 && errno == EINTR);
  CheckInterrupt();
}

}  // namespace cedar
