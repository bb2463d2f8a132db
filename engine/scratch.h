#ifndef CEDAR_ENGINE_SCRATCH_H_
#define CEDAR_ENGINE_SCRATCH_H_

// Activations of the rows that are computed together, laid out once for the largest step and used
// again for every layer. Every buffer is [rows][..] unless it says otherwise; names of sizes are
// those of ModelConfig.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "engine/arena.h"
#include "engine/best_scores.h"
#include "engine/cached_tables.h"
#include "engine/cold_experts.h"
#include "engine/plan_options.h"
#include "engine/selections.h"
#include "simd/formats.h"
#include "simd/kernels.h"
#include "simd/memory.h"
#include "weights/config.h"
#include "weights/layer_plan.h"
#include "weights/prefetcher.h"

namespace cedar {

// Rows whose logits are computed together.
inline constexpr size_t kLogitRows = 16;

// Compressed rows that are scored between two choices of the best: whole blocks of candidates.
size_t ScoredTogether(const ModelConfig& config);

// What one thread needs to itself.
struct WorkerScratch {
  uint8_t* kernel = nullptr;                // for simd kernels that ask for scratch
  const uint8_t** window_rows = nullptr;    // [window]
  const uint8_t** selected_rows = nullptr;  // [index_topk]
  BestScores rows;                          // the best rows of one token so far
  BestScores blocks;                        // and the best blocks of candidates
  float* candidate_scores = nullptr;        // [candidate rows]
};

struct StreamScratch {
  Bf16* streams = nullptr;  // [hc][hidden]
  float* pre = nullptr;     // [hc]
};

struct MixScratch {
  double* dots = nullptr;  // [mixes]
  float* pre = nullptr;    // [hc]: for the sublayer after this one
  float* post = nullptr;   // [hc]
  float* comb = nullptr;   // [hc][hc]
};

struct AttentionScratch {
  Bf16* q_latent = nullptr;        // [q_rank]
  Bf16* q = nullptr;               // [heads][head_dim], rotated when it attends
  Bf16* kv = nullptr;              // [head_dim]
  uint8_t* window_rows = nullptr;  // [WindowRowBytes(head_dim)]
  Bf16* heads = nullptr;           // [heads][head_dim]: what the heads attended to
  Bf16* groups = nullptr;          // [o_groups][o_rank]
};

struct CompressorScratch {
  float* kv = nullptr;     // [head_dim]
  float* gate = nullptr;   // [head_dim]
  Bf16* latent = nullptr;  // [head_dim]
  Bf16* key = nullptr;     // [index_head_dim]
};

struct IndexerScratch {
  Bf16* q = nullptr;           // [index_heads][index_head_dim]
  uint8_t* queries = nullptr;  // [index_heads][IndexKeyBytes(index_head_dim)]
  Bf16* projected = nullptr;   // [index_heads]
  float* weights = nullptr;    // [index_heads]
};

// A slot is one token at one expert; a token has experts_per_token + 1 of them.
struct MoeScratch {
  float* logits = nullptr;   // [experts]
  int32_t* ids = nullptr;    // [experts_per_token]
  float* weights = nullptr;  // [experts_per_token]
  Bf16* gate = nullptr;      // [slots][moe_hidden]
  Bf16* up = nullptr;        // [slots][moe_hidden]
  Bf16* out = nullptr;       // [slots][hidden]
};

struct EngramScratch {
  size_t* table_rows = nullptr;  // [engram layers][columns]: made when the step begins
  Bf16* embedding = nullptr;     // [columns * head_dim]
  Bf16* kv = nullptr;            // [hc + 1][hidden]
};

// cos and sin of a row's position.
struct AngleScratch {
  float* cos = nullptr;  // [rope_dim / 2]
  float* sin = nullptr;
};

struct Scratch {
  // options.chunk rows, options.threads workers. Throws Error (kModel) when memory is refused.
  Scratch(const ModelConfig& config, const LayerPlan& plan, const PlanOptions& options);

  WorkerScratch& worker(int i) { return workers[static_cast<size_t>(i)]; }

  size_t rows = 0;      // capacity
  StreamScratch chunk;  // streams of a chunk that is not a replay
  Bf16* x = nullptr;    // [hidden]: what Block() hands to a sublayer
  Bf16* y = nullptr;    // [hidden]: what it gets back
  MixScratch mix;
  AngleScratch local_angles;   // layers of ratio 0
  AngleScratch global_angles;  // all others
  AttentionScratch attention;
  CompressorScratch compressor;
  IndexerScratch indexer;
  Selections selections;  // places for a chunk and for all rows of a replay
  MoeScratch moe;
  EngramScratch engram;
  Bf16* head_in = nullptr;  // [kLogitRows][hidden]
  float* logits = nullptr;  // [kLogitRows][vocab]

  uint8_t* packed_input = nullptr;  // [packed_input_bytes]: inputs of products (engine/linear.h)
  size_t packed_input_bytes = 0;
  uint8_t* packed_hidden = nullptr;  // [slots][packed_hidden_stride]: hidden rows of the experts
  size_t packed_hidden_stride = 0;

  std::vector<WorkerScratch> workers;
  std::unique_ptr<Prefetcher> prefetcher;  // of Engram rows and cold experts
  ColdExperts cold_experts;
  CachedTables cached_tables;

 private:
  friend size_t CountScratchBytes(const ModelConfig& config, const LayerPlan& plan,
                                  const PlanOptions& options);
  Scratch() = default;
  void LayOut(const ModelConfig& config, const LayerPlan& plan, const PlanOptions& options,
              Arena& arena);
  void LayOutSublayers(const ModelConfig& config, Arena& arena);
  void LayOutMoe(const ModelConfig& config, const simd::Kernels& kernels, Arena& arena);
  void LayOutWorkers(const ModelConfig& config, const PlanOptions& options, Arena& arena);

  simd::Memory memory_;
};

size_t CountScratchBytes(const ModelConfig& config, const LayerPlan& plan,
                         const PlanOptions& options);

}  // namespace cedar

#endif  // CEDAR_ENGINE_SCRATCH_H_
