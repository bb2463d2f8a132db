#ifndef CEDAR_APP_INTERRUPT_H_
#define CEDAR_APP_INTERRUPT_H_

// Ctrl-C, SIGTERM and the end of a terminal (SIGHUP): the step that is being computed ends, what is
// complete is written, the program exits with 130. A second signal kills at once.

#include <string>

namespace cedar {

// Thrown by CheckInterrupt; not an Error, since nothing went wrong.
struct Interrupted {};

// From now on these signals are remembered instead of killing the process; SIGHUP only if it would
// (nohup). A closed pipe becomes an error of the write instead of a signal.
void InstallSignalHandlers();

bool IsInterrupted();

// "SIGINT": the latest one that came.
std::string InterruptName();

// Forgets a Ctrl-C that was dealt with; the next one is remembered again. Other signals want the
// program to end: throws Interrupted.
void ClearInterrupt();

// Throws Interrupted if a signal came.
void CheckInterrupt();

// Returns when `descriptor` can be read without waiting (its end and its errors count); throws
// Interrupted if a signal came or comes meanwhile. A plain read would sleep through a signal that
// comes just before it, or that another thread receives.
void AwaitInput(int descriptor);

}  // namespace cedar

#endif  // CEDAR_APP_INTERRUPT_H_
