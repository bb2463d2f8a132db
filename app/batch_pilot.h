#ifndef CEDAR_APP_BATCH_PILOT_H_
#define CEDAR_APP_BATCH_PILOT_H_

// cedar batch --check --pilot N: checks all lines, answers a few of them and says what the whole
// will take.

#include <functional>

#include "app/batch_input.h"
#include "app/batch_plan.h"
#include "app/exit_code.h"
#include "app/line_source.h"
#include "app/options.h"
#include "engine/engine.h"

namespace cedar {

// Draws the lines evenly over those that can be answered and are not yet; their answers go to the
// output as those of any run, and count as done. The report goes to standard output, and to the
// summary with the figures of the answers. Exit code as of CheckLines. Throws Error (kUsage) if the
// input cannot be read twice.
ExitCode RunPilot(const Engine& engine, const BatchOptions& options, const BatchInput& input,
                  const std::function<BatchPlan(const LineSource&)>& plan);

}  // namespace cedar

#endif  // CEDAR_APP_BATCH_PILOT_H_
