#ifndef CEDAR_SIMD_CORES_H_
#define CEDAR_SIMD_CORES_H_

// The physical cores that this process may run on, and threads bound to them.

#include <span>
#include <vector>

#include "simd/nodes.h"

namespace cedar::simd {

struct Core {
  std::vector<int> cpus;  // several where a core runs several threads
  int node = 0;           // whose memory is near (simd/nodes.h)

  bool operator==(const Core&) const = default;
};

// The CPUs that any thread of this process may run on (so that a thread which is already bound to
// one of them does not hide the others), node by node, in ascending order of each core's first;
// empty if the system does not say.
std::vector<Core> AllowedCores();

// The nodes of cores that come node by node, one thread a core.
std::vector<NodeThreads> NodesOf(std::span<const Core> cores);

// Keeps the calling thread on the CPUs of these cores from now on. A wish: when the system refuses,
// all still works.
void BindTo(std::span<const Core> cores);

}  // namespace cedar::simd

#endif  // CEDAR_SIMD_CORES_H_
