#ifndef CEDAR_ENGINE_MODEL_H_
#define CEDAR_ENGINE_MODEL_H_

// A loaded checkpoint with what was made from it once: all that is immutable in a forward pass.

#include <optional>

#include "engine/engine_options.h"
#include "engine/numerics.h"
#include "engine/page_key.h"
#include "engine/rope.h"
#include "simd/kernels.h"
#include "simd/workers.h"
#include "weights/checkpoint.h"
#include "weights/config.h"
#include "weights/engram_hash.h"
#include "weights/layer_plan.h"
#include "weights/model_files.h"
#include "weights/model_weights.h"
#include "weights/tokenizer.h"
#include "weights/weight_memory.h"

namespace cedar {

struct Model {
  Model(const ModelFiles& from, Isa isa, const EngineOptions& options);

  // Of all that global KV depends on, but the tokens (engine/model_identity.h). It reads a little
  // of every matrix: thousands of reads where the files are not in memory.
  PageKey Identity() const;

  ModelFiles files;
  ModelConfig config;
  LayerPlan plan;
  Tokenizer tokenizer;
  Checkpoint checkpoint;
  simd::Workers workers;
  WeightMemory weight_memory;  // empty if the weights are mapped
  ModelWeights weights;
  std::optional<EngramHash> engram_hash;
  Rope local_rope;   // layers of ratio 0
  Rope global_rope;  // all others, and everything of the index
  const simd::Kernels& kernels;
  Numerics numerics;
};

}  // namespace cedar

#endif  // CEDAR_ENGINE_MODEL_H_
