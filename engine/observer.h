#ifndef CEDAR_ENGINE_OBSERVER_H_
#define CEDAR_ENGINE_OBSERVER_H_

// A window into a forward pass, for tests and measurements: what the oracle's trace holds, by layer
// and position, and how much is computed. Called in the thread that runs the pass, between two
// parallel regions.

#include <cstddef>
#include <cstdint>
#include <span>

#include "simd/formats.h"

namespace cedar {

struct Step;

class BlockObserver {
 public:
  virtual ~BlockObserver() = default;
  // A layer begins with all rows of a step.
  virtual void OnStep(size_t, const Step&) {}
  // A KV source adds so many tokens to the global KV.
  virtual void OnPublish(size_t, size_t) {}
  // Logits are computed for so many rows.
  virtual void OnLogits(size_t) {}
  // Streams [hc][hidden] and mix [hc] that a block receives, after its engram.
  virtual void OnBlock(size_t, size_t, std::span<const Bf16>, std::span<const float>) {}
  // Input and output [hidden] of the attention, then of the mixture of experts.
  virtual void OnAttention(size_t, size_t, std::span<const Bf16>, std::span<const Bf16>) {}
  virtual void OnMoe(size_t, size_t, std::span<const Bf16>, std::span<const Bf16>) {}
  // Chosen experts, best first.
  virtual void OnExperts(size_t, size_t, std::span<const int32_t>) {}
  // Selected compressed rows, ascending; called for index sources.
  virtual void OnSelection(size_t, size_t, std::span<const int32_t>) {}
};

}  // namespace cedar

#endif  // CEDAR_ENGINE_OBSERVER_H_
