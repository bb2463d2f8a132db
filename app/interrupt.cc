#include "app/interrupt.h"

#include <csignal>

namespace cedar {
namespace {

// The one thing that a signal handler may touch.
volatile std::sig_atomic_t interrupted = 0;

void Remember(int) { interrupted = 1; }

}  // namespace

void InstallSignalHandlers() {
  struct sigaction action = {};
  action.sa_handler = Remember;
  sigemptyset(&action.sa_mask);
  // No SA_RESTART: a read that waits for input must return.
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
}

bool IsInterrupted() { return interrupted != 0; }

void ClearInterrupt() {
  interrupted = 0;
  InstallSignalHandlers();
}

void CheckInterrupt() {
  if (IsInterrupted()) throw Interrupted();
}

}  // namespace cedar
