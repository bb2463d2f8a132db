#ifndef CEDAR_APP_BENCH_OPTIONS_H_
#define CEDAR_APP_BENCH_OPTIONS_H_

// The command line of `cedar bench`.

#include <CLI/CLI.hpp>

#include "app/options.h"

namespace cedar {

CLI::App* AddBench(CLI::App& app, BenchOptions& options);

// What no single option can tell. Throws Error (kUsage).
void CheckBench(const BenchOptions& options);

}  // namespace cedar

#endif  // CEDAR_APP_BENCH_OPTIONS_H_
