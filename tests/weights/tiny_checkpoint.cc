#include "tests/weights/tiny_checkpoint.h"

#include <algorithm>
#include <cstring>
#include <random>
#include <stdexcept>
#include <utility>

#include "tests/temp_folder.h"
#include "weights/bind_model.h"
#include "weights/matrix_bytes.h"
#include "weights/tensor_names.h"

namespace cedar {
namespace {

using Json = nlohmann::json;

size_t ItemBytes(const std::string& dtype) {
  if (dtype == "F32" || dtype == "I32") return 4;
  return dtype == "BF16" || dtype == "F16" ? 2 : 1;
}

// Codes that are finite in every format: fp32 and bf16 near 1, scales near 1, E4M3 without NaN.
std::string RandomBytes(const std::string& dtype, const std::vector<size_t>& shape) {
  static std::mt19937 random(1);
  size_t count = 1;
  for (const size_t n : shape) count *= n;
  std::string bytes(count * ItemBytes(dtype), '\0');
  for (size_t i = 0; i < bytes.size(); ++i) {
    const size_t high = ItemBytes(dtype) - 1 - i % ItemBytes(dtype);  // 0: the highest byte
    uint32_t byte = random() & 0xFF;
    if (ItemBytes(dtype) > 1) byte = high == 0 ? 0x3F : high == 1 ? byte & 0x7F : byte;
    if (dtype == "F8_E4M3") byte &= 0xF7;
    if (dtype == "F8_E8M0") byte = 120 + byte % 8;
    bytes[i] = static_cast<char>(byte);
  }
  return bytes;
}

// Makes the tensors that a model asks for.
class Maker : public TensorSource {
 public:
  explicit Maker(std::vector<StoredTensor>& tensors) : tensors_(tensors) {}

  WeightMatrix Matrix(const std::string& name, size_t rows, size_t cols, Format released,
                      Storage) override {
    constexpr const char* kDTypes[] = {"F32", "BF16", "F8_E4M3", "I8"};
    Add(name, kDTypes[static_cast<size_t>(released)],
        {rows, released == Format::kFp4 ? cols / 2 : cols});
    if (ScaleRows(released, rows) > 0) {
      AddScale(name, ScaleRows(released, rows), ScaleCols(released, cols));
    }
    return {released, rows, cols, nullptr, nullptr};
  }

  std::vector<float> Floats(const std::string& name, const std::vector<size_t>& shape) override {
    Add(name, "BF16", shape);
    return {};
  }

  EngramTable Table(const std::string& name, size_t rows, size_t head_dim) override {
    Add(name, "F8_E4M3", {rows, head_dim});
    AddScale(name, rows, head_dim / 32);
    return {};
  }

 private:
  void Add(const std::string& name, const std::string& dtype, const std::vector<size_t>& shape) {
    tensors_.push_back({name, dtype, shape, RandomBytes(dtype, shape)});
  }
  void AddScale(const std::string& name, size_t rows, size_t cols) {
    Add(tensor_names::Scale(name), "F8_E8M0", {rows, cols});
  }

  std::vector<StoredTensor>& tensors_;
};

// Tokens 2k and 2k + 1 read "wk" and " Wk", so that they share an Engram class.
Json TinyTokenizer(size_t vocab) {
  Json tokens = Json::object();
  for (size_t i = 0; i < vocab; ++i) {
    tokens[(i % 2 == 0 ? "w" : "\u0120W") + std::to_string(i / 2)] = i;
  }
  const Json split = {{"type", "Split"},
                      {"pattern", {{"Regex", "\\s+|\\S+"}}},
                      {"behavior", "Isolated"},
                      {"invert", false}};
  const Json bytes = {{"type", "ByteLevel"},
                      {"add_prefix_space", false},
                      {"trim_offsets", true},
                      {"use_regex", false}};
  return {{"version", "1.0"},
          {"added_tokens", Json::array()},
          {"normalizer", nullptr},
          {"pre_tokenizer", {{"type", "Sequence"}, {"pretokenizers", {split, bytes}}}},
          {"post_processor", nullptr},
          {"decoder", bytes},
          {"model", {{"type", "BPE"}, {"merges", Json::array()}, {"vocab", tokens}}}};
}

}  // namespace

std::string SafetensorsFile(const std::string& header, const std::string& data) {
  std::string file;
  for (size_t i = 0; i < 8; ++i) file += static_cast<char>(header.size() >> (8 * i) & 0xFF);
  return file + header + data;
}

std::string SafetensorsFile(const std::vector<StoredTensor>& tensors) {
  Json header = {{"__metadata__", {{"format", "pt"}}}};
  std::string data;
  for (const StoredTensor& tensor : tensors) {
    const size_t begin = data.size();
    data += tensor.bytes;
    header[tensor.name] = {
        {"dtype", tensor.dtype}, {"shape", tensor.shape}, {"data_offsets", {begin, data.size()}}};
  }
  return SafetensorsFile(header.dump(), data);
}

Json TinyCheckpoint::TinyConfig() {
  return Json::parse(R"({
    "text_config": {
      "vocab_size": 64, "hidden_size": 64, "num_hidden_layers": 4, "eos_token_id": 1,
      "max_position_embeddings": 4096, "rms_norm_eps": 1e-20, "tie_word_embeddings": false,
      "hc_mult": 2, "hc_sinkhorn_iters": 20, "hc_eps": 1e-6,
      "num_attention_heads": 4, "num_key_value_heads": 1, "head_dim": 32, "qk_rope_head_dim": 16,
      "q_lora_rank": 32, "o_lora_rank": 32, "o_groups": 2, "attention_bias": false,
      "sliding_window": 8, "rope_theta": 10000, "compress_rope_theta": 160000,
      "rope_scaling": {"rope_type": "yarn", "factor": 16, "beta_fast": 32, "beta_slow": 1,
                       "original_max_position_embeddings": 64},
      "compress_ratios": [0, 2, 2, 1], "num_nextn_predict_layers": 0,
      "kv_source_layer_ids": [1, 3], "index_source_layer_ids": [1, 3],
      "index_n_heads": 2, "index_head_dim": 32, "index_topk": 12,
      "candidate_source_layer_id": 3, "candidate_topk_blocks": 6, "candidate_block_size": 4,
      "n_routed_experts": 4, "n_shared_experts": 1, "num_experts_per_tok": 2,
      "moe_intermediate_size": 32, "hidden_act": "silu", "scoring_func": "sqrtsoftplus",
      "topk_method": "noaux_tc", "norm_topk_prob": true, "routed_scaling_factor": 1.5,
      "swiglu_limit": 10.0,
      "engram_layer_ids": [1], "engram_num_embeddings": [420], "engram_max_ngram_size": 3,
      "engram_vocab_size": 100, "engram_n_heads": 2, "engram_head_dim": 32,
      "engram_pad_token_id": 2, "engram_compressed_vocab_size": 32
    },
    "quantization_config": {"quant_method": "fp8", "expert_dtype": "fp4"}
  })");
}

TinyCheckpoint::TinyCheckpoint(const Json& json) : config(json) {
  const ModelConfig parsed = ParseConfig(config.dump(), "TinyConfig");
  Maker maker(tensors);
  BindModel(maker, parsed, PlanLayers(parsed));
}

StoredTensor& TinyCheckpoint::At(const std::string& name) {
  const auto found = std::ranges::find(tensors, name, &StoredTensor::name);
  if (found == tensors.end()) throw std::runtime_error("no tensor " + name);
  return *found;
}

void TinyCheckpoint::Remove(const std::string& name) {
  At(name).name.clear();
  std::erase_if(tensors, [](const StoredTensor& tensor) { return tensor.name.empty(); });
}

void TinyCheckpoint::Replace(const std::string& name, const std::string& dtype,
                             const std::vector<size_t>& shape) {
  At(name) = {name, dtype, shape, RandomBytes(dtype, shape)};
}

std::map<std::string, std::string> TinyCheckpoint::Files() const {
  const auto middle = tensors.begin() + static_cast<std::ptrdiff_t>(tensors.size() / 2);
  Json index = {{"metadata", {{"total_size", 0}}}, {"weight_map", Json::object()}};
  for (auto tensor = tensors.begin(); tensor != tensors.end(); ++tensor) {
    index["weight_map"][tensor->name] = tensor < middle ? kFirstShard : kSecondShard;
  }
  return {{"config.json", config.dump(1)},
          {"tokenizer.json", TinyTokenizer(config["text_config"]["vocab_size"]).dump()},
          {kShardIndex, index.dump()},
          {kFirstShard, SafetensorsFile({tensors.begin(), middle})},
          {kSecondShard, SafetensorsFile({middle, tensors.end()})}};
}

void TinyCheckpoint::Write(const std::string& directory) const {
  for (const auto& [name, content] : Files()) test::WriteBytes(directory + "/" + name, content);
}

}  // namespace cedar
