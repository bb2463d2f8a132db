#include "weights/config_rules.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "simd/formats.h"
#include "weights/engram_hash.h"
#include "weights/model_error.h"

namespace cedar {
namespace {

std::string Text(uint64_t number) { return std::to_string(number); }

bool Contains(const std::vector<int>& layers, int layer) {
  return std::ranges::find(layers, layer) != layers.end();
}

class Rules {
 public:
  Rules(const ModelConfig& config, const std::string& where) : c_(config), where_(where) {}

  void CheckAll() const {
    CheckBlocks();
    CheckAttention();
    CheckMoe();
    CheckSources();
    CheckRatios();
    CheckCandidates();
    CheckEngram();
  }

 private:
  [[noreturn]] void Refuse(const std::string& key, const std::string& found,
                           const std::string& expected) const {
    RefuseModel(where_ + key, found, expected);
  }

  void MultipleOfBlock(const std::string& key, size_t value) const {
    if (value % kScaleBlock != 0) Refuse(key, Text(value), "a multiple of " + Text(kScaleBlock));
  }

  void Distinct(const std::string& key, std::vector<int> layers) const {
    std::ranges::sort(layers);
    const auto twice = std::ranges::adjacent_find(layers);
    if (twice != layers.end()) Refuse(key, "layer " + std::to_string(*twice) + " twice", "once");
  }

  // Widths that are quantised in blocks.
  void CheckBlocks() const {
    MultipleOfBlock("hidden_size", c_.hidden);
    MultipleOfBlock("moe_intermediate_size", c_.moe_hidden);
    MultipleOfBlock("q_lora_rank", c_.q_rank);
    MultipleOfBlock("o_lora_rank", c_.o_rank);
    MultipleOfBlock("head_dim", c_.head_dim);
    MultipleOfBlock("index_head_dim", c_.index_head_dim);
    MultipleOfBlock("engram_head_dim", c_.engram.head_dim);
  }

  void CheckAttention() const {
    if (c_.heads % c_.o_groups != 0) {
      Refuse("o_groups", Text(c_.o_groups),
             "a divisor of num_attention_heads (" + Text(c_.heads) + ")");
    }
    const size_t most = std::min(c_.head_dim, c_.index_head_dim);
    if (c_.rope_dim % 2 != 0 || c_.rope_dim > most) {
      Refuse(
          "qk_rope_head_dim", Text(c_.rope_dim),
          "an even number up to the smaller of head_dim and index_head_dim (" + Text(most) + ")");
    }
  }

  void CheckMoe() const {
    if (c_.experts_per_token > c_.experts) {
      Refuse("num_experts_per_tok", Text(c_.experts_per_token),
             "at most n_routed_experts (" + Text(c_.experts) + ")");
    }
  }

  void CheckSources() const {
    if (c_.kv_sources.empty()) Refuse("kv_source_layer_ids", "none", "at least one layer");
    Distinct("kv_source_layer_ids", c_.kv_sources);
    Distinct("index_source_layer_ids", c_.index_sources);
    for (const int layer : c_.kv_sources) {
      const std::string source = "layer " + std::to_string(layer);
      if (c_.compress_ratios[layer] < 1) {
        Refuse("kv_source_layer_ids", source + " with compress_ratio 0",
               "layers with a ratio >= 1");
      }
      if (!Contains(c_.index_sources, layer)) {
        Refuse("kv_source_layer_ids", source, "layers that index_source_layer_ids has too");
      }
    }
  }

  void CheckRatios() const {
    int source_ratio = 0;
    for (int layer = 0; layer < c_.layers; ++layer) {
      const int ratio = c_.compress_ratios[layer];
      if (Contains(c_.kv_sources, layer)) source_ratio = ratio;
      if (ratio < 1 || ratio == source_ratio) continue;
      const std::string found = std::to_string(ratio) + " for layer " + std::to_string(layer);
      Refuse("compress_ratios", found,
             source_ratio == 0
                 ? "0, as no KV source lies at or below it"
                 : "0 or that of its KV source (" + std::to_string(source_ratio) + ")");
    }
  }

  void CheckCandidates() const {
    if (!c_.candidates) return;
    const CandidateConfig& candidates = *c_.candidates;
    const int source = candidates.source_layer;
    if (!Contains(c_.index_sources, source) || c_.compress_ratios[source] < 1 ||
        source < c_.kv_sources.back()) {
      Refuse("candidate_source_layer_id", std::to_string(source),
             "-1 or an index source with a ratio >= 1, at or above layer " +
                 std::to_string(c_.kv_sources.back()));
    }
    // Of the blocks kept one may hold a single visible row; the others are full.
    const size_t rows = (candidates.blocks - 1) * candidates.block_rows + 1;
    if (rows < c_.index_topk) {
      Refuse("candidate_topk_blocks",
             Text(candidates.blocks) + " blocks of " + Text(candidates.block_rows),
             "enough for index_topk (" + Text(c_.index_topk) + ") rows");
    }
  }

  void CheckEngram() const {
    const EngramConfig& engram = c_.engram;
    if (engram.layers.empty()) return;
    Distinct("engram_layer_ids", engram.layers);
    for (const int layer : engram.layers) {
      if (layer >= c_.kv_sources.back()) {
        Refuse("engram_layer_ids", "layer " + std::to_string(layer),
               "layers below the last KV source (" + std::to_string(c_.kv_sources.back()) + ")");
      }
    }
    if (engram.table_rows.size() != engram.layers.size()) {
      Refuse("engram_num_embeddings", Text(engram.table_rows.size()) + " entries",
             Text(engram.layers.size()) + ", one for each of engram_layer_ids");
    }
    CheckTableRows();
  }

  // A table has as many rows as the primes of its layer say. Each layer's primes go on where those
  // of the layer before ended.
  void CheckTableRows() const {
    const EngramConfig& engram = c_.engram;
    uint64_t floor = engram.first_prime;
    for (const size_t found : engram.table_rows) {
      const std::vector<uint64_t> primes = PrimesFrom(floor, engram.columns());
      const uint64_t rows = std::accumulate(primes.begin(), primes.end(), uint64_t{0});
      if (rows != found) Refuse("engram_num_embeddings", Text(found), Text(rows));
      floor = primes.back() + 1;
    }
  }

  const ModelConfig& c_;
  const std::string& where_;
};

}  // namespace

void CheckConfigRules(const ModelConfig& config, const std::string& where) {
  Rules(config, where).CheckAll();
}

}  // namespace cedar
