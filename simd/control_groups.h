#ifndef CEDAR_SIMD_CONTROL_GROUPS_H_
#define CEDAR_SIMD_CONTROL_GROUPS_H_

// What control groups leave to this process, as systemd, Slurm and containers set them: version 1,
// version 2, or both at once. A limit of any group above ours counts, as far as it can be seen.

#include <cstddef>
#include <optional>
#include <string>

namespace cedar::simd {

// Of all groups with a limit, the one that leaves least.
struct GroupMemory {
  size_t limit = 0;  // bytes
  size_t left = 0;   // of them; file pages that the kernel drops when it needs room are left too
  std::string file;  // that says so
};

// Of all groups with a quota, the smallest.
struct GroupCpus {
  double cpus = 0;   // that may run all the time
  std::string file;  // that says so
};

struct GroupLimits {
  std::optional<GroupMemory> memory;
  std::optional<GroupCpus> cpus;
};

// Reads ROOT/proc/self/cgroup and ROOT/proc/self/mountinfo, and the files that these lead to below
// ROOT. What is missing or makes no sense is no limit. Names of files are given without ROOT.
GroupLimits ReadGroupLimits(const std::string& root = "");

}  // namespace cedar::simd

#endif  // CEDAR_SIMD_CONTROL_GROUPS_H_
