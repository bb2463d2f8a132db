#ifndef CEDAR_SIMD_ISA_TARGET_H_
#define CEDAR_SIMD_ISA_TARGET_H_

#include <cstdint>

#include "simd/isa.h"

namespace cedar {

// The one Highway target that stands for an ISA on this CPU; 0 where it has none (and for
// kReference). Highway splits some ISAs by vector length: SVE is SVE_256 on a 256-bit CPU.
int64_t HighwayTarget(Isa isa);

}  // namespace cedar

#endif  // CEDAR_SIMD_ISA_TARGET_H_
