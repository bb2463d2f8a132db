#include "weights/synthetic_config.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "simd/error.h"
#include "weights/engram_hash.h"
#include "weights/engram_token_map.h"
#include "weights/tokenizer.h"

namespace cedar {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kSlice = R"({
  "architectures": ["DeepseekV41ForCausalLM"],
  "model_type": "deepseek_v41",
  "dtype": "bfloat16",
  "bos_token_id": 0,
  "eos_token_id": 1,
  "pad_token_id": 2,
  "text_config": {
    "model_type": "deepseek_v41_text",
    "vocab_size": 4096,
    "hidden_size": 5120,
    "moe_intermediate_size": 2304,
    "num_hidden_layers": 8,
    "num_attention_heads": 64,
    "num_key_value_heads": 1,
    "head_dim": 512,
    "qk_rope_head_dim": 64,
    "q_lora_rank": 1280,
    "o_lora_rank": 1024,
    "o_groups": 8,
    "hidden_act": "silu",
    "swiglu_limit": 10.0,
    "rms_norm_eps": 1e-20,
    "attention_bias": false,
    "max_position_embeddings": 1048576,
    "rope_theta": 10000,
    "rope_scaling": {"rope_type": "yarn", "factor": 16, "beta_fast": 32, "beta_slow": 1,
                     "original_max_position_embeddings": 65536},
    "n_routed_experts": 32,
    "n_shared_experts": 1,
    "num_experts_per_tok": 6,
    "scoring_func": "sqrtsoftplus",
    "topk_method": "noaux_tc",
    "norm_topk_prob": true,
    "routed_scaling_factor": 1.5,
    "sliding_window": 128,
    "compress_ratios": [],
    "compress_rope_theta": 160000,
    "kv_source_layer_ids": [],
    "index_source_layer_ids": [],
    "index_n_heads": 32,
    "index_head_dim": 128,
    "index_topk": 512,
    "candidate_source_layer_id": 4,
    "candidate_topk_blocks": 2048,
    "candidate_block_size": 8,
    "hc_mult": 4,
    "hc_sinkhorn_iters": 20,
    "hc_eps": 1e-06,
    "engram_layer_ids": [1],
    "engram_num_embeddings": [],
    "engram_max_ngram_size": 4,
    "engram_vocab_size": 10000,
    "engram_n_heads": 8,
    "engram_head_dim": 256,
    "engram_pad_token_id": 2,
    "engram_compressed_vocab_size": 0,
    "num_nextn_predict_layers": 0,
    "tie_word_embeddings": false
  },
  "quantization_config": {"quant_method": "fp8", "activation_scheme": "dynamic",
                          "weight_block_size": [32, 32], "scale_fmt": "ue8m0",
                          "expert_dtype": "fp4"}
})";

// Layers as the release has them: two without compression, KV sources every six layers of the
// encoder, one at the decoder's begin, and index sources every four layers after it.
void ShapeLayers(Json& text, size_t layers) {
  if (layers < 4) {
    throw Error(ErrorKind::kUsage, "--layers " + std::to_string(layers) + ": expected 4 or more");
  }
  const size_t middle = layers / 2, index_every = layers - middle > 4 ? 4 : 2;
  std::vector<size_t> ratios, kv, index, engram;
  for (size_t i = 0; i < layers; ++i) {
    const size_t ratio = i < std::min<size_t>(2, middle) ? 0 : i < middle ? 2 : 1;
    ratios.push_back(ratio);
    if (ratio == 2 && i % 6 == 2) kv.push_back(i);
    if (i >= middle && (i - middle) % index_every == 0) index.push_back(i);
  }
  kv.push_back(middle);
  index.insert(index.begin(), kv.begin(), kv.end() - 1);
  for (const size_t layer : text.value("engram_layer_ids", std::vector<size_t>{})) {
    if (layer < middle) engram.push_back(layer);
  }
  text["num_hidden_layers"] = layers;
  text["compress_ratios"] = ratios;
  text["kv_source_layer_ids"] = kv;
  text["index_source_layer_ids"] = index;
  text["engram_layer_ids"] = engram;
  if (text.value("candidate_source_layer_id", -1) >= 0) text["candidate_source_layer_id"] = middle;
}

// Only the layers of the text model are written.
void DropDraftAndVision(Json& config) {
  Json& text = config["text_config"];
  text["num_nextn_predict_layers"] = 0;
  Json& ratios = text["compress_ratios"];
  while (ratios.size() > text.value("num_hidden_layers", size_t{0}))
    ratios.erase(ratios.size() - 1);
  for (const char* key : {"vision_config", "image_token_id"}) config.erase(key);
}

// The tables' sizes follow from the primes, the classes from the tokenizer.
void ShapeEngram(Json& text, const std::string& tokenizer) {
  const size_t tables = text.value("engram_layer_ids", std::vector<size_t>{}).size();
  if (tables == 0) return;
  const std::vector<int32_t> map = EngramTokenMap(Tokenizer(tokenizer, "tokenizer.json"));
  text["engram_compressed_vocab_size"] = *std::max_element(map.begin(), map.end()) + 1;
  const size_t columns = (text.at("engram_max_ngram_size").get<size_t>() - 1) *
                         text.at("engram_n_heads").get<size_t>();
  const std::vector<uint64_t> primes =
      PrimesFrom(text.at("engram_vocab_size").get<uint64_t>(), tables * columns);
  std::vector<uint64_t> rows(tables);
  for (size_t i = 0; i < primes.size(); ++i) rows[i / columns] += primes[i];
  text["engram_num_embeddings"] = rows;
}

}  // namespace

std::string SliceConfig() {
  Json config = Json::parse(kSlice);
  ShapeLayers(config["text_config"], config["text_config"]["num_hidden_layers"]);
  return config.dump(1);
}

SyntheticModel MakeSyntheticModel(std::string_view config_text, const std::string& file,
                                  const SyntheticShape& shape) {
  try {
    Json config = Json::parse(config_text);
    Json& text = config.at("text_config");
    if (shape.experts) text["n_routed_experts"] = *shape.experts;
    if (shape.vocab) text["vocab_size"] = *shape.vocab;
    if (shape.layers) ShapeLayers(text, *shape.layers);
    DropDraftAndVision(config);
    SyntheticModel model;
    model.tokenizer = SyntheticTokenizer(text.at("vocab_size").get<size_t>());
    ShapeEngram(text, model.tokenizer);
    model.config = config.dump(1) + "\n";
    return model;
  } catch (const nlohmann::json::exception& e) {
    throw Error(ErrorKind::kModel, file + ": " + e.what());
  }
}

}  // namespace cedar
