#ifndef CEDAR_APP_BENCH_MACHINE_H_
#define CEDAR_APP_BENCH_MACHINE_H_

// cedar bench --machine: what this machine can do at most.

#include <string>

#include "app/options.h"

namespace cedar {

// Probes reads of fresh memory and bare arithmetic, by one thread and by all, and says what came
// out in the format that is asked for.
std::string MeasureMachine(const BenchOptions& options);

}  // namespace cedar

#endif  // CEDAR_APP_BENCH_MACHINE_H_
