#include "weights/config.h"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "simd/error.h"
#include "weights/config_object.h"
#include "weights/config_rules.h"
#include "weights/model_error.h"
#include "weights/other_models.h"

namespace cedar {
namespace {

// Far above every model of this family, and small enough that no product of sizes, not even the
// bytes of all weights, leaves 64 bits.
constexpr int64_t kMaxLayers = 1 << 9;
constexpr int64_t kMaxWidth = 1 << 18;
constexpr int64_t kMaxHeads = 1 << 12;
constexpr int64_t kMaxHeadDim = 1 << 14;
constexpr int64_t kMaxIndexDim = 1 << 10;  // what the kernels hold (simd/kernels.h), as kMaxStreams
constexpr int64_t kMaxExperts = 1 << 12;
constexpr int64_t kMaxStreams = 16;
constexpr int64_t kMaxRatio = 1 << 16;
constexpr int64_t kMaxRows = 1 << 24;  // of a window or a selection
constexpr int64_t kMaxVocab = 1 << 28;
constexpr int64_t kMaxPositions = std::numeric_limits<int32_t>::max();
constexpr int64_t kMaxNgram = 16;
constexpr int64_t kMaxHashes = 64;
constexpr int64_t kMaxPrime = int64_t{1} << 32;
constexpr int64_t kMaxTableRows = int64_t{1} << 36;

constexpr double kTiny = std::numeric_limits<double>::min();
constexpr double kHuge = 1e30;  // still an fp32

// What the engine computes in one way only. A key that is absent means that way.
void CheckFixed(const ConfigObject& text) {
  const auto only = [&](const std::string& key, const std::string& value) {
    if (!text.Has(key)) return;
    const std::string found = text.Text(key);
    if (found != value) text.Refuse(key, Quoted(found), Quoted(value));
  };
  only("hidden_act", "silu");
  only("scoring_func", "sqrtsoftplus");
  only("topk_method", "noaux_tc");
  for (const char* key : {"num_key_value_heads", "n_shared_experts"}) {
    if (text.Has(key)) text.Integer(key, 1, 1);
  }
  for (const char* key : {"tie_word_embeddings", "attention_bias"}) {
    if (text.Has(key) && text.Bool(key)) text.Refuse(key, "true", "false");
  }
}

void ReadStream(const ConfigObject& text, ModelConfig& config) {
  config.layers = static_cast<int>(text.Integer("num_hidden_layers", 1, kMaxLayers));
  config.hidden = text.Size("hidden_size", 1, kMaxWidth);
  config.vocab = text.Size("vocab_size", 1, kMaxVocab);
  config.max_positions = text.Size("max_position_embeddings", 1, kMaxPositions);
  config.norm_eps = text.Number("rms_norm_eps", kTiny, 1);
  config.hc = text.Size("hc_mult", 1, kMaxStreams);
  config.hc_eps = text.Number("hc_eps", 0, 1);
  config.sinkhorn_iters = static_cast<int>(text.Integer("hc_sinkhorn_iters", 1, 1000));
}

// Newer libraries write rope_parameters, an object that may hold rope_theta too.
const char* RopeKey(const ConfigObject& text) {
  return text.Has("rope_scaling") ? "rope_scaling" : "rope_parameters";
}

double ReadTheta(const ConfigObject& text) {
  // A base of 1 or below would turn every pair alike or the slow ones fastest.
  constexpr double kLeast = 1 + 1e-9;
  if (!text.Has("rope_theta") && text.Has(RopeKey(text))) {
    const ConfigObject rope = text.Object(RopeKey(text));
    if (rope.Has("rope_theta")) return rope.Number("rope_theta", kLeast, kHuge);
  }
  return text.Number("rope_theta", kLeast, kHuge);
}

std::optional<YarnScaling> ReadYarn(const ConfigObject& text) {
  if (!text.Has(RopeKey(text))) return std::nullopt;
  const ConfigObject scaling = text.Object(RopeKey(text));
  // "type" is its older name.
  const char* key = scaling.Has("type") && !scaling.Has("rope_type") ? "type" : "rope_type";
  const std::string type = scaling.Text(key);
  if (type == "default") return std::nullopt;
  if (type != "yarn") scaling.Refuse(key, Quoted(type), Quoted("yarn"));
  YarnScaling yarn;
  yarn.factor = scaling.Number("factor", 1, kHuge);
  yarn.beta_fast = scaling.Number("beta_fast", kTiny, kHuge);
  yarn.beta_slow = scaling.Number("beta_slow", kTiny, kHuge);
  yarn.original_positions = scaling.Size("original_max_position_embeddings", 1, kMaxPositions);
  return yarn;
}

void ReadAttention(const ConfigObject& text, ModelConfig& config) {
  config.heads = text.Size("num_attention_heads", 1, kMaxHeads);
  config.head_dim = text.Size("head_dim", 1, kMaxHeadDim);
  config.rope_dim = text.Size("qk_rope_head_dim", 2, kMaxHeadDim);
  config.q_rank = text.Size("q_lora_rank", 1, kMaxWidth);
  config.o_rank = text.Size("o_lora_rank", 1, kMaxWidth);
  config.o_groups = text.Size("o_groups", 1, kMaxHeads);
  config.window = text.Size("sliding_window", 1, kMaxRows);
  config.rope_theta = ReadTheta(text);
  config.compress_rope_theta = text.Number("compress_rope_theta", 1 + 1e-9, kHuge);
  config.yarn = ReadYarn(text);
}

// Layers in ascending order.
std::vector<int> ReadSources(const ConfigObject& text, const std::string& key, int layers) {
  const std::vector<int64_t> ids = text.Integers(key, 0, layers - 1);
  std::vector<int> sources(ids.begin(), ids.end());
  std::ranges::sort(sources);
  return sources;
}

// Draft layers have ratios too, behind the others.
void ReadRatios(const ConfigObject& text, ModelConfig& config) {
  const std::vector<int64_t> ratios = text.Integers("compress_ratios", 0, kMaxRatio);
  const auto layers = static_cast<size_t>(config.layers);
  if (text.Has("num_nextn_predict_layers")) {
    const size_t expected = layers + text.Size("num_nextn_predict_layers", 0, kMaxLayers);
    if (ratios.size() != expected) {
      text.Refuse("compress_ratios", std::to_string(ratios.size()) + " entries",
                  std::to_string(expected) + " (num_hidden_layers + num_nextn_predict_layers)");
    }
  } else if (ratios.size() < layers) {
    text.Refuse("compress_ratios", std::to_string(ratios.size()) + " entries",
                std::to_string(layers) + " or more (num_hidden_layers)");
  }
  config.compress_ratios.assign(ratios.begin(), ratios.begin() + config.layers);
}

void ReadIndex(const ConfigObject& text, ModelConfig& config) {
  ReadRatios(text, config);
  config.kv_sources = ReadSources(text, "kv_source_layer_ids", config.layers);
  config.index_sources = ReadSources(text, "index_source_layer_ids", config.layers);
  config.index_heads = text.Size("index_n_heads", 1, kMaxHeads);
  config.index_head_dim = text.Size("index_head_dim", 1, kMaxIndexDim);
  config.index_topk = text.Size("index_topk", 1, kMaxRows);
  if (!text.Has("candidate_source_layer_id")) return;
  const int64_t source = text.Integer("candidate_source_layer_id", -1, config.layers - 1);
  if (source < 0) return;
  config.candidates.emplace();
  config.candidates->source_layer = static_cast<int>(source);
  config.candidates->blocks = text.Size("candidate_topk_blocks", 1, kMaxRows);
  config.candidates->block_rows = text.Size("candidate_block_size", 1, kMaxRows);
}

void ReadExperts(const ConfigObject& text, ModelConfig& config) {
  config.experts = text.Size("n_routed_experts", 1, kMaxExperts);
  config.experts_per_token = text.Size("num_experts_per_tok", 1, kMaxExperts);
  config.moe_hidden = text.Size("moe_intermediate_size", 1, kMaxWidth);
  config.normalise_weights = text.Bool("norm_topk_prob");
  config.routed_scaling = text.Number("routed_scaling_factor", 0, kHuge);
  config.swiglu_limit = text.Number("swiglu_limit", 0, kHuge);
}

void ReadEngram(const ConfigObject& text, ModelConfig& config) {
  if (!text.Has("engram_layer_ids")) return;
  const std::vector<int64_t> layers = text.Integers("engram_layer_ids", 0, config.layers - 1);
  if (layers.empty()) return;
  EngramConfig& engram = config.engram;
  engram.layers.assign(layers.begin(), layers.end());
  const std::vector<int64_t> rows = text.Integers("engram_num_embeddings", 1, kMaxTableRows);
  engram.table_rows.assign(rows.begin(), rows.end());
  engram.max_ngram = text.Size("engram_max_ngram_size", 2, kMaxNgram);
  engram.heads = text.Size("engram_n_heads", 1, kMaxHashes);
  engram.head_dim = text.Size("engram_head_dim", 1, kMaxHeadDim);
  engram.first_prime = text.Size("engram_vocab_size", 1, kMaxPrime);
  const int64_t vocab = static_cast<int64_t>(config.vocab);
  engram.compressed_vocab = text.Size("engram_compressed_vocab_size", 1, vocab);
  engram.pad_token = static_cast<int32_t>(text.Integer("engram_pad_token_id", 0, vocab - 1));
}

void ReadStorage(const ConfigObject& text, ModelConfig& config) {
  if (!text.Has("quantization_config")) {
    config.projection_format = config.expert_format = Format::kBf16;
    return;
  }
  const ConfigObject quantization = text.Object("quantization_config");
  const std::string experts =
      quantization.Has("expert_dtype") ? quantization.Text("expert_dtype") : "fp8";
  config.projection_format = Format::kFp8;
  config.expert_format = experts == "fp4"   ? Format::kFp4
                         : experts == "fp8" ? Format::kFp8
                                            : Format::kBf16;
}

nlohmann::json ParseJson(std::string_view json, const std::string& file) {
  try {
    return nlohmann::json::parse(json.begin(), json.end());
  } catch (const nlohmann::json::parse_error& error) {
    RefuseModel(file, "no JSON at byte " + std::to_string(error.byte), "JSON");
  } catch (const nlohmann::json::exception&) {
    RefuseModel(file, "a number that is too large", "JSON with finite numbers");
  }
}

}  // namespace

ModelConfig ParseConfig(std::string_view json, const std::string& file) {
  const nlohmann::json parsed = ParseJson(json, file);
  const ConfigObject root(parsed, file + ": ");
  RefuseOtherModels(parsed, file);
  const ConfigObject text = root.Has("text_config") ? root.Object("text_config") : root;
  ModelConfig config;
  CheckFixed(text);
  ReadStream(text, config);
  ReadAttention(text, config);
  ReadIndex(text, config);
  ReadExperts(text, config);
  ReadEngram(text, config);
  ReadStorage(root.Has("quantization_config") ? root : text, config);
  CheckConfigRules(config, text.where());
  return config;
}

}  // namespace cedar
