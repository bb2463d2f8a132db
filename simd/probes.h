#ifndef CEDAR_SIMD_PROBES_H_
#define CEDAR_SIMD_PROBES_H_

// What one thread can do at most with the instructions of an ISA: the yardsticks of benchmarks.
// They give the work; whoever measures takes the time, right beside what is to be compared.

#include <cstddef>
#include <cstdint>

#include "simd/isa.h"

namespace cedar::simd {

struct Probes {
  // Reads every whole 256 bytes of data[0..bytes) once, in ascending order. The result depends on
  // all of them.
  uint64_t (*read)(const uint8_t* data, size_t bytes);

  // `rounds` rounds of sums of products that wait for neither memory nor each other. The results
  // depend on all of them.
  float (*bf16_dots)(size_t rounds);  // null where the ISA has no bf16 dot products
  float (*fp32_fmas)(size_t rounds);
  float (*int8_dots)(size_t rounds);  // by the instructions that the kernels use
  double bf16_dot_flops;              // floating-point operations in a round
  double fp32_fma_flops;
  double int8_dot_ops;  // products and additions of bytes in a round
};

// isa is one that this CPU has, not kReference.
Probes ProbesFor(Isa isa);

}  // namespace cedar::simd

#endif  // CEDAR_SIMD_PROBES_H_
