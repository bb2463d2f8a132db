#ifndef CEDAR_ENGINE_ENGINE_OPTIONS_H_
#define CEDAR_ENGINE_ENGINE_OPTIONS_H_

// How a model is loaded and computed.

#include <optional>
#include <vector>

#include "engine/numerics.h"
#include "simd/isa.h"
#include "simd/nodes.h"
#include "simd/workers.h"
#include "weights/load_weights.h"

namespace cedar {

struct EngineOptions {
  std::optional<Isa> isa{};  // unset: the best that this CPU has
  int threads = 0;           // 0: one for each physical core this process may use
  simd::Pinning pinning = simd::Pinning::kCores;
  Numerics numerics = Numerics::kReference;
  WeightPlace weights = WeightPlace::kMapped;
  LoadProgress load_progress{};  // of kHugePages
  // For tests: threads that take themselves to be on these nodes, instead of `threads`.
  std::vector<simd::NodeThreads> nodes{};
};

}  // namespace cedar

#endif  // CEDAR_ENGINE_ENGINE_OPTIONS_H_
