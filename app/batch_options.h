#ifndef CEDAR_APP_BATCH_OPTIONS_H_
#define CEDAR_APP_BATCH_OPTIONS_H_

// The command line of cedar batch.

#include <CLI/CLI.hpp>

#include "app/options.h"

namespace cedar {

CLI::App* AddBatch(CLI::App& app, BatchOptions& options);

// What only all options together can break. Throws Error (kUsage) that names the option.
void CheckBatch(const BatchOptions& options);

}  // namespace cedar

#endif  // CEDAR_APP_BATCH_OPTIONS_H_
