#ifndef CEDAR_ENGINE_MEMORY_PLAN_H_
#define CEDAR_ENGINE_MEMORY_PLAN_H_

// Bytes, known before anything is allocated. Mapped weights are not counted: the kernel drops their
// pages when it needs room.

#include <cstddef>
#include <functional>

#include "engine/replay.h"
#include "simd/isa.h"
#include "weights/config.h"
#include "weights/layer_plan.h"

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

struct MemoryPlan {
  // One sequence's arena.
  size_t windows = 0;    // packed window rows of every layer
  size_t global_kv = 0;  // packed compressed rows and index keys of every KV source
  size_t pending = 0;    // encoder outputs that wait for the decoder, unfinished groups
  size_t history = 0;    // token ids
  // Shared by all sequences.
  size_t scratch = 0;  // activations of the rows computed together

  size_t sequence() const { return windows + global_kv + pending + history; }
  size_t total = 0;  // parallel * sequence() + scratch
};

MemoryPlan PlanMemory(const ModelConfig& config, const LayerPlan& plan, const PlanOptions& options);

// The largest number of positions, up to `most`, that `fits`; 0 if not even one does. A smaller one
// than one that fits must fit too.
size_t LargestContext(size_t most, const std::function<bool(size_t context)>& fits);

// Encoder outputs that the decoder may still need of a prompt: the window for bounded replay, the
// whole cone of dependence for exact, none for full.
size_t ReplayReach(const ModelConfig& config, const LayerPlan& plan, Replay replay);

}  // namespace cedar

#endif  // CEDAR_ENGINE_MEMORY_PLAN_H_
