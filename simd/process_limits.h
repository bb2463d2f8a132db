#ifndef CEDAR_SIMD_PROCESS_LIMITS_H_
#define CEDAR_SIMD_PROCESS_LIMITS_H_

// Limits of a shell (ulimit) that are too small to work with: a message instead of a crash.

#include <cstddef>

namespace cedar::simd {

// What the program needs at least of stack and of address space. With less, even the C library
// does not get as far as a message. The allocator takes address space by 32 MB.
inline constexpr size_t kLeastStack = size_t{1} << 20;
inline constexpr size_t kLeastAddressSpace = size_t{96} << 20;

// What looks at the limits runs before main() does: it raises that of the stack where it is small
// and may be raised, and ends the program with a message and exit code 3 where one is too small.
// Calling this links it into the program.
void CheckProcessLimits();

}  // namespace cedar::simd

#endif  // CEDAR_SIMD_PROCESS_LIMITS_H_
