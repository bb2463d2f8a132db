#ifndef CEDAR_ENGINE_PLAN_OPTIONS_H_
#define CEDAR_ENGINE_PLAN_OPTIONS_H_

// What the sizes of states and scratch follow from, beside the model.

#include <cstddef>

#include "engine/replay.h"
#include "simd/isa.h"

namespace cedar {

inline constexpr size_t kDefaultChunk = 512;

struct PlanOptions {
  size_t context = 0;   // positions of one sequence
  size_t parallel = 1;  // sequences
  size_t chunk = kDefaultChunk;
  Replay replay = Replay::kBounded;
  int threads = 1;
  Isa isa = Isa::kReference;  // its kernels say how much scratch they want
};

}  // namespace cedar

#endif  // CEDAR_ENGINE_PLAN_OPTIONS_H_
