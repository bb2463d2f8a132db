#ifndef CEDAR_SIMD_TARGETS_H_
#define CEDAR_SIMD_TARGETS_H_

// The Highway targets that every kernel file compiles, and nothing else. Include this before any
// Highway header, also before foreach_target.h.
//
//   x86   AVX2, AVX3_DL, AVX3_ZEN4, AVX3_SPR
//   Arm   NEON (with and without AES), SVE, SVE_256, SVE2, SVE2_128
//
// AVX2 is named as Highway's baseline, the one target it insists on compiling, although the rest of
// the program is built for any x86-64: a CPU below AVX2 gets no table of fast kernels at all
// (simd/isa.h), so nothing of that baseline is ever called there. Highway's own choice, SSE2, would
// cost a compilation of every kernel that never runs.

#if defined(__x86_64__)
#define HWY_WANT_AVX3_DL 1
#define HWY_BASELINE_TARGETS HWY_AVX2
#define HWY_DISABLED_TARGETS (HWY_SSE2 | HWY_SSSE3 | HWY_SSE4 | HWY_AVX3)
#else
// Which bits NEON computes must not depend on the compiler: g++ 12 cannot compile NEON_BF16.
#define HWY_DISABLED_TARGETS HWY_NEON_BF16
#endif

#include <hwy/targets.h>

#include <cstddef>
#include <cstdint>

namespace cedar::simd {

// Index into the table of a HWY_EXPORTed function. Not through Highway's global choice of a target:
// which kernels run is a value here (simd/kernels.h).
static inline size_t TargetIndex(int64_t target) {
  hwy::ChosenTarget chosen;
  chosen.Update(target);
  return chosen.GetIndex();
}

}  // namespace cedar::simd

// The pointer of HWY_EXPORTed `function` for one Highway target. Use it where HWY_EXPORT stands.
#define CEDAR_KERNEL(function, target) \
  (HWY_DISPATCH_TABLE(function)[::cedar::simd::TargetIndex(target)])

#endif  // CEDAR_SIMD_TARGETS_H_
