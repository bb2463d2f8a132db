#ifndef CEDAR_APP_MACHINE_LIMITS_H_
#define CEDAR_APP_MACHINE_LIMITS_H_

// What cedar info says of the limits of the machine and of its control groups.

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "simd/control_groups.h"
#include "simd/memory.h"

namespace cedar {

struct MachineLimits {
  simd::MemoryRoom room;
  simd::GroupLimits groups;
};
MachineLimits FindMachineLimits();

// Labels and what stands behind them, a line each.
std::vector<std::pair<std::string, std::string>> LimitLines(const MachineLimits& limits);

// {"available", "source"} and, with a limit, {"limit", "limit_left", "limit_file"}.
nlohmann::ordered_json MemoryLimitJson(const MachineLimits& limits);
// {"cpus", "file"}, or null without a quota.
nlohmann::ordered_json CpuQuotaJson(const MachineLimits& limits);

}  // namespace cedar

#endif  // CEDAR_APP_MACHINE_LIMITS_H_
