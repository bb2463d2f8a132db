#ifndef CEDAR_ENGINE_MEMORY_PLAN_H_
#define CEDAR_ENGINE_MEMORY_PLAN_H_

// Bytes, known before anything is allocated. Mapped weights are not counted: the kernel drops their
// pages when it needs room.

#include <cstddef>
#include <functional>

#include "engine/plan_options.h"
#include "weights/config.h"
#include "weights/layer_plan.h"

namespace cedar {

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

}  // namespace cedar

#endif  // CEDAR_ENGINE_MEMORY_PLAN_H_
