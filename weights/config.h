#ifndef CEDAR_WEIGHTS_CONFIG_H_
#define CEDAR_WEIGHTS_CONFIG_H_

// The shape of a model, from its config.json (checkpoint.md, config.json). Values in brackets
// are those of the release; nothing in the program depends on them.
//
// What follows from these numbers for each layer stands in layer_plan.h.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "simd/matrix.h"  // Format

namespace cedar {

// Rotary frequencies stretched beyond the trained length (model.md, Attention).
struct YarnScaling {
  double factor = 0;              // [16]
  double beta_fast = 0;           // [32]
  double beta_slow = 0;           // [1]
  size_t original_positions = 0;  // [65536] original_max_position_embeddings
};

// Level one of the index selection: the best blocks of rows (model.md, Attention, Selection).
struct CandidateConfig {
  int source_layer = 0;   // [20]
  size_t blocks = 0;      // [2048] candidate_topk_blocks
  size_t block_rows = 0;  // [8] candidate_block_size
};

// Hashed n-gram lookups (model.md, Engram). Without layers the other members are 0.
struct EngramConfig {
  std::vector<int> layers;         // [1, 14], in the order of the file
  std::vector<size_t> table_rows;  // [384006168, 384016682] engram_num_embeddings, for each of them
  size_t max_ngram = 0;            // [4]: 2-, 3- and 4-grams
  size_t heads = 0;                // [8] hashes of each n-gram
  size_t head_dim = 0;             // [256] channels of a table row
  uint64_t first_prime = 0;        // [16000000] engram_vocab_size: primes are counted from here
  size_t compressed_vocab = 0;     // [99092] classes of the token map
  int32_t pad_token = 0;           // [2] stands before the first token

  size_t columns() const { return layers.empty() ? 0 : (max_ngram - 1) * heads; }  // [24]
};

// All members are consistent with each other after ParseConfig.
struct ModelConfig {
  // Stream
  int layers = 0;            // [40] num_hidden_layers
  size_t hidden = 0;         // [5120] hidden_size, multiple of 32
  size_t vocab = 0;          // [129280] vocab_size
  size_t max_positions = 0;  // [1048576] max_position_embeddings
  double norm_eps = 0;       // [1e-20] rms_norm_eps

  // Hyper-connections (model.md, Block)
  size_t hc = 0;           // [4] hc_mult: parallel residual streams
  double hc_eps = 0;       // [1e-6]
  int sinkhorn_iters = 0;  // [20] hc_sinkhorn_iters, at least 1

  // Attention (model.md, Attention)
  size_t heads = 0;       // [64] num_attention_heads
  size_t head_dim = 0;    // [512], multiple of 32
  size_t rope_dim = 0;    // [64] qk_rope_head_dim, even, at most head_dim and index_head_dim
  size_t q_rank = 0;      // [1280] q_lora_rank, multiple of 32
  size_t o_rank = 0;      // [1024] o_lora_rank, multiple of 32
  size_t o_groups = 0;    // [8], divides heads
  size_t window = 0;      // [128] sliding_window, at least 1
  double rope_theta = 0;  // [10000] layers of ratio 0
  double compress_rope_theta = 0;   // [160000] all others, and everything of the index
  std::optional<YarnScaling> yarn;  // goes with compress_rope_theta only

  // Compressed KV and its index
  std::vector<int> compress_ratios;  // [layers], those of draft layers cut off; 0: window only
  std::vector<int> kv_sources;       // [2, 8, 14, 20] layers, ascending, at least one
  std::vector<int> index_sources;    // [2, 8, 14, 20, 24, 28, 32, 36] layers, ascending
  size_t index_heads = 0;            // [32] index_n_heads
  size_t index_head_dim = 0;         // [128], multiple of 32
  size_t index_topk = 0;             // [512] rows that a selection keeps
  std::optional<CandidateConfig> candidates;

  // Mixture of experts (model.md, MoE)
  size_t experts = 0;             // [384] n_routed_experts
  size_t experts_per_token = 0;   // [6] num_experts_per_tok, at most experts
  size_t moe_hidden = 0;          // [2304] moe_intermediate_size, multiple of 32
  bool normalise_weights = true;  // norm_topk_prob
  double routed_scaling = 0;      // [1.5] routed_scaling_factor
  double swiglu_limit = 0;        // [10], 0: no clamp

  EngramConfig engram;

  // How the release stores its matrices, from quantization_config; for planning by config.json
  // alone. A checkpoint may differ: what was bound counts.
  Format expert_format = Format::kFp4;
  Format projection_format = Format::kFp8;

  size_t streams_width() const { return hc * hidden; }                  // [20480]
  size_t mixes() const { return (2 + hc) * hc; }                        // [24]
  size_t queries_width() const { return heads * head_dim; }             // [32768]
  size_t o_group_width() const { return heads / o_groups * head_dim; }  // [4096]
};

// json: the bytes of a config.json; `file` is its name in errors. Every rule of checkpoint.md is
// checked here, the primes of Engram included; what breaks one is an Error (kModel) that names the
// key, what was found and what was expected.
ModelConfig ParseConfig(std::string_view json, const std::string& file);

}  // namespace cedar

#endif  // CEDAR_WEIGHTS_CONFIG_H_
