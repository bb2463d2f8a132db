#ifndef CEDAR_APP_COMMANDS_H_
#define CEDAR_APP_COMMANDS_H_

// What each command does. Machine output goes to standard output, all else to standard error. Each
// returns the exit code, or throws Error or Interrupted.

#include "app/exit_code.h"
#include "app/options.h"

namespace cedar {

ExitCode Execute(const InfoOptions& options);
ExitCode Execute(const RunOptions& options);
ExitCode Execute(const ScoreOptions& options);
ExitCode Execute(const TokenizeOptions& options);
ExitCode Execute(const DetokenizeOptions& options);
ExitCode Execute(const BatchOptions& options);
ExitCode Execute(const BenchOptions& options);
ExitCode Execute(const SynthOptions& options);
ExitCode Execute(const VerifyOptions& options);

}  // namespace cedar

#endif  // CEDAR_APP_COMMANDS_H_
