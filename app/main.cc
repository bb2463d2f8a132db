// cedar: the program. Reads the command line, runs one command, turns errors into exit codes.

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <string>
#include <variant>

#include "app/commands.h"
#include "app/interrupt.h"
#include "app/options.h"
#include "app/output.h"
#include "simd/error.h"
#include "simd/isa.h"
#include "simd/process_limits.h"

namespace cedar {
namespace {

// What the program opens must not get the number of a standard file that is closed: it would be
// read or written as that. In its place comes one that fails at once, as it is open the wrong way
// round.
void OccupyStandardFiles() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(descriptor, F_GETFD) >= 0 || errno != EBADF) continue;
    // It gets the lowest number that is free, which is this one.
    open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  }
}

// Where an exception cannot be caught (in a thread, in a destructor), too little memory still ends
// in a message.
[[noreturn]] void Terminate() {
  try {
    if (std::current_exception()) throw;
  } catch (const std::bad_alloc&) {
    std::fputs("cedar: out of memory\n", stderr);
    _exit(kExitModel);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "cedar: unexpected: %s\n", error.what());
  } catch (...) {
  }
  std::abort();
}

int Run(int argc, char** argv) {
  simd::CheckProcessLimits();
  if (const std::string refusal = CpuRefusal(); !refusal.empty()) {
    throw Error(ErrorKind::kModel, refusal);
  }
  InstallSignalHandlers();
  const CommandLine line = ParseCommandLine(argc, argv);
  if (line.command) {
    return std::visit([](const auto& options) { return Execute(options); }, *line.command);
  }
  Output::Standard().Write(line.text);
  return kExitOk;
}

int Fail(const std::string& message, ExitCode code) {
  std::fprintf(stderr, "cedar: %s\n", message.c_str());
  return code;
}

// The one place where errors end.
int RunAndReport(int argc, char** argv) {
  try {
    return Run(argc, argv);
  } catch (const Error& error) {
    return Fail(error.what(), ExitCodeOf(error.kind()));
  } catch (const Interrupted&) {
    return Fail("interrupted", kExitInterrupted);
  } catch (const std::bad_alloc&) {
    return Fail("out of memory", kExitModel);
  } catch (const std::exception& error) {
    return Fail(std::string("unexpected: ") + error.what(), kExitInput);
  }
}

}  // namespace
}  // namespace cedar

int main(int argc, char** argv) {
  // The allocator, which is C, aborts where nobody throws for it.
  std::set_new_handler([] { throw std::bad_alloc(); });
  std::set_terminate(cedar::Terminate);
  cedar::OccupyStandardFiles();
  return cedar::RunAndReport(argc, argv);
}
