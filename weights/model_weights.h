#ifndef CEDAR_WEIGHTS_MODEL_WEIGHTS_H_
#define CEDAR_WEIGHTS_MODEL_WEIGHTS_H_

// Every weight of the text model, as views into the mapped shards (checkpoint.md, the table).
// Matrices stay where they lie, in the format they have there; the small vectors are converted to
// fp32 once and owned here. Sizes are those of the ModelConfig, named as its members are.
//
// Which activation a matrix sees is not written here: that follows model.md, Number formats.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "simd/matrix.h"
#include "weights/checkpoint.h"
#include "weights/config.h"
#include "weights/layer_plan.h"

namespace cedar {

struct MixWeights {
  WeightMatrix fn;           // mixes x streams_width, F32 or BF16
  std::vector<float> base;   // [mixes]
  std::vector<float> scale;  // [3]
};

// What a KV source has to make compressed rows and their index keys.
struct KvSourceWeights {
  WeightMatrix wkv;           // head_dim x hidden
  WeightMatrix wgate;         // head_dim x hidden; no data at ratio 1
  std::vector<float> norm;    // [head_dim]
  WeightMatrix wk;            // index_head_dim x head_dim
  std::vector<float> k_norm;  // [index_head_dim]
};

// What an index source has to score rows.
struct IndexerWeights {
  WeightMatrix wq_b;          // index_heads * index_head_dim x q_rank
  WeightMatrix weights_proj;  // index_heads x hidden
};

struct AttentionWeights {
  std::vector<float> sink;         // [heads]
  WeightMatrix wq_a;               // q_rank x hidden
  std::vector<float> q_norm;       // [q_rank]
  WeightMatrix wq_b;               // queries_width x q_rank
  WeightMatrix wkv;                // head_dim x hidden
  std::vector<float> kv_norm;      // [head_dim]
  std::vector<WeightMatrix> wo_a;  // [o_groups] of o_rank x o_group_width: slices of one tensor
  WeightMatrix wo_b;               // hidden x o_groups * o_rank
  std::optional<KvSourceWeights> kv_source;
  std::optional<IndexerWeights> indexer;
};

struct ExpertWeights {
  WeightMatrix w1;  // moe_hidden x hidden: gate
  WeightMatrix w3;  // moe_hidden x hidden: up
  WeightMatrix w2;  // hidden x moe_hidden: down
};

struct MoeWeights {
  WeightMatrix gate;                  // experts x hidden
  std::vector<float> bias;            // [experts]
  std::vector<ExpertWeights> routed;  // [experts]
  ExpertWeights shared;
};

// Rows are read where they lie, a few at a time; their pages are mapped for random access.
struct EngramTable {
  Format format = Format::kFp8;  // or kBf16, without scales
  size_t rows = 0;
  size_t head_dim = 0;              // multiple of 32
  const uint8_t* data = nullptr;    // [rows][head_dim]
  const uint8_t* scales = nullptr;  // [rows][head_dim / 32] UE8M0

  Residency residency = Residency::kTold;  // of the mapping of both

  // Adds the places of these rows that are not in memory, or may not be.
  void AddAbsent(std::span<const size_t> table_rows,
                 std::vector<std::span<const uint8_t>>& absent) const;
};

struct EngramWeights {
  EngramTable table;
  WeightMatrix wkv;               // (hc + 1) * hidden x columns * head_dim: hc keys, then the value
  std::vector<double> qk_weight;  // [hc][hidden]: q_weight * k_weight, exact
};

struct LayerWeights {
  std::vector<float> attn_norm;  // [hidden]
  MixWeights attn_mix;
  AttentionWeights attn;
  std::vector<float> ffn_norm;  // [hidden]
  MixWeights ffn_mix;
  MoeWeights moe;
  std::optional<EngramWeights> engram;
};

struct ModelWeights {
  // Whether matrices may still lie on the disk and the kernel tells which: not those inside the
  // program, nor those in memory of our own.
  bool may_be_cold = false;
  WeightMatrix embed;  // vocab x hidden, BF16
  std::vector<LayerWeights> layers;
  std::vector<float> norm;  // [hidden]
  WeightMatrix head;        // vocab x hidden
};

// Finds and checks every tensor that the plan needs; others are left alone. One that is missing, or
// whose dtype or shape does not fit the config, is an Error (kModel) that names the file, the
// tensor, what was found and what was expected. The checkpoint must outlive the weights.
ModelWeights BindWeights(const Checkpoint& checkpoint, const ModelConfig& config,
                         const LayerPlan& plan);

}  // namespace cedar

#endif  // CEDAR_WEIGHTS_MODEL_WEIGHTS_H_
