#ifndef CEDAR_SIMD_CORES_H_
#define CEDAR_SIMD_CORES_H_

// The physical cores that this process may run on, and threads bound to them.

#include <span>
#include <vector>

namespace cedar::simd {

// The CPUs of one core: several where a core runs several threads.
using Core = std::vector<int>;

// The CPUs that any thread of this process may run on (so that a thread which is already bound to
// one of them does not hide the others), in ascending order of each core's first; empty if the
// system does not say.
std::vector<Core> AllowedCores();

// Keeps the calling thread on the CPUs of these cores from now on. A wish: when the system refuses,
// all still works.
void BindTo(std::span<const Core> cores);

}  // namespace cedar::simd

#endif  // CEDAR_SIMD_CORES_H_
