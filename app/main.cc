// cedar: the program. Reads the command line, runs one command, turns errors into exit codes.

#include <cstdio>
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

namespace cedar {
namespace {

int Run(int argc, char** argv) {
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

int main(int argc, char** argv) { return cedar::RunAndReport(argc, argv); }
