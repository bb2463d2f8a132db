// Writes a model of random weights for llama.cpp: its deepseek4, the nearest that it knows, with
// the widths of DeepSeek-V4.1-Flash in few layers with few experts. Projections are Q8_0, experts
// MXFP4, as people have them. Says what a token reads as JSON. Built by perf/compare.sh.
//
//   gguf_slice OUT.gguf

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "perf/peers/ggml.h"

namespace {

constexpr int64_t kHidden = 5120, kHeads = 64, kHeadDim = 512, kQueryRank = 1280, kGroups = 8;
constexpr int64_t kGroupRank = 1024, kInner = 2304, kStreams = 4, kIndexHeads = 64, kIndexDim = 128;
constexpr int64_t kVocab = 4096, kExperts = 48, kChosen = 6;
constexpr uint32_t kRatios[] = {0, 4, 128, 4, 128};  // of compression, by layer
constexpr size_t kLayers = std::size(kRatios);

// F32 values are uniform in mean +- spread; those of other types only have the form of the type.
struct Tensor {
  std::string name;
  ggml_type type;
  float mean, spread;
  size_t bytes;
};

class Slice {
 public:
  Slice() { AddParameters(); }

  void AddTensors() {
    Add("token_embd.weight", GGML_TYPE_F16, {kHidden, kVocab});
    AddF32("output_norm.weight", {kHidden}, 1, 0);
    Add("output.weight", GGML_TYPE_Q8_0, {kHidden, kVocab});
    AddF32("output_hc_fn.weight", {kStreams * kHidden, kStreams}, 0, 0.01f);
    AddF32("output_hc_base.weight", {kStreams}, 0, 0);
    AddF32("output_hc_scale.weight", {1}, 1, 0);
    for (size_t layer = 0; layer < kLayers; ++layer) {
      prefix_ = "blk." + std::to_string(layer) + ".";
      AddAttention();
      if (kRatios[layer] > 0) AddCompressor(kRatios[layer]);
      if (kRatios[layer] == 4) AddIndexer();
      AddExperts();
    }
  }

  bool Write(const char* path) {
    if (!gguf_write_to_file(file_, path, /*only_meta=*/true)) return false;
    std::FILE* const out = std::fopen(path, "r+b");
    if (out == nullptr) return false;
    size_t end = 0;
    for (const Tensor& tensor : tensors_) {
      const size_t at = gguf_get_meta_size(file_) +
                        gguf_get_tensor_offset(file_, gguf_find_tensor(file_, tensor.name.c_str()));
      std::fseek(out, static_cast<long>(at), SEEK_SET);
      WriteValues(tensor, out);
      end = at + tensor.bytes;
    }
    for (; end % 32 != 0; ++end) std::fputc(0, out);
    return std::fclose(out) == 0;
  }

  // Of weights, read for a generated token: of the experts those that are chosen, of embeddings
  // next to nothing.
  double TokenBytes() const {
    double bytes = 0;
    for (const Tensor& tensor : tensors_) {
      const bool routed = tensor.name.find("_exps.") != std::string::npos;
      const double share = routed ? static_cast<double>(kChosen) / kExperts : 1;
      if (tensor.name != "token_embd.weight") bytes += share * static_cast<double>(tensor.bytes);
    }
    return bytes;
  }

 private:
  using Sizes = std::vector<int64_t>;

  static std::string Key(const std::string& name) { return "deepseek4." + name; }
  void Set(const std::string& key, int64_t value) {
    gguf_set_val_u32(file_, Key(key).c_str(), static_cast<uint32_t>(value));
  }
  void SetReal(const std::string& key, float value) {
    gguf_set_val_f32(file_, Key(key).c_str(), value);
  }

  void AddParameters() {
    gguf_set_val_str(file_, "general.architecture", "deepseek4");
    gguf_set_val_str(file_, "general.name", "synthetic");
    gguf_set_val_u32(file_, "general.quantization_version", 2);
    gguf_set_val_str(file_, "tokenizer.ggml.model", "no_vocab");
    const std::pair<const char*, int64_t> numbers[] = {
        {"block_count", kLayers},
        {"context_length", 65536},
        {"embedding_length", kHidden},
        {"feed_forward_length", kInner},
        {"vocab_size", kVocab},
        {"attention.head_count", kHeads},
        {"attention.head_count_kv", 1},
        {"attention.key_length", kHeadDim},
        {"attention.value_length", kHeadDim},
        {"attention.q_lora_rank", kQueryRank},
        {"attention.sliding_window", 128},
        {"attention.indexer.head_count", kIndexHeads},
        {"attention.indexer.key_length", kIndexDim},
        {"attention.indexer.top_k", 512},
        {"attention.output_group_count", kGroups},
        {"attention.output_lora_rank", kGroupRank},
        {"expert_feed_forward_length", kInner},
        {"expert_count", kExperts},
        {"expert_used_count", kChosen},
        {"expert_shared_count", 1},
        {"expert_gating_func", 4},
        {"hyper_connection.count", kStreams},
        {"hyper_connection.sinkhorn_iterations", 20},
        {"hash_layer_count", 0},
        {"rope.dimension_count", 64},
    };
    for (const auto& [key, value] : numbers) Set(key, value);
    SetReal("attention.layer_norm_rms_epsilon", 1e-6f);
    SetReal("attention.compress_rope_freq_base", 160000);
    SetReal("expert_weights_scale", 1.5f);
    SetReal("hyper_connection.epsilon", 1e-6f);
    SetReal("rope.freq_base", 10000);
    gguf_set_val_bool(file_, Key("expert_weights_norm").c_str(), true);
    const std::vector<float> limits(kLayers, 10);
    for (const char* key : {"swiglu_clamp_exp", "swiglu_clamp_shexp"}) {
      gguf_set_arr_data(file_, Key(key).c_str(), 6, limits.data(), kLayers);  // 6: fp32
    }
    gguf_set_arr_data(file_, Key("attention.compress_ratios").c_str(), 4, kRatios, kLayers);
  }

  // sizes: the innermost first.
  void Add(const std::string& name, ggml_type type, const Sizes& sizes, float mean = 0,
           float spread = 1) {
    ggml_tensor* const tensor =
        ggml_new_tensor(context_, type, static_cast<int>(sizes.size()), sizes.data());
    const std::string full = prefix_ + name;
    ggml_set_name(tensor, full.c_str());
    gguf_add_tensor(file_, tensor);
    tensors_.push_back({full, type, mean, spread, ggml_nbytes(tensor)});
  }
  void AddF32(const std::string& name, const Sizes& sizes, float mean, float spread) {
    Add(name, GGML_TYPE_F32, sizes, mean, spread);
  }
  void AddQ8(const std::string& name, int64_t cols, int64_t rows) {
    Add(name, GGML_TYPE_Q8_0, {cols, rows});
  }

  void AddMix(const std::string& name) {
    const int64_t mixes = (2 + kStreams) * kStreams;
    AddF32(name + "_fn.weight", {kStreams * kHidden, mixes}, 0, 0.01f);
    AddF32(name + "_base.weight", {mixes}, 0, 0);
    AddF32(name + "_scale.weight", {3}, 1, 0);
  }

  void AddAttention() {
    AddF32("attn_norm.weight", {kHidden}, 1, 0);
    AddF32("attn_sinks.weight", {kHeads}, 0, 0.1f);
    AddQ8("attn_q_a.weight", kHidden, kQueryRank);
    AddF32("attn_q_a_norm.weight", {kQueryRank}, 1, 0);
    AddQ8("attn_q_b.weight", kQueryRank, kHeads * kHeadDim);
    AddQ8("attn_kv.weight", kHidden, kHeadDim);
    AddF32("attn_kv_a_norm.weight", {kHeadDim}, 1, 0);
    AddQ8("attn_output_a.weight", kHeads * kHeadDim / kGroups, kGroupRank * kGroups);
    AddQ8("attn_output_b.weight", kGroups * kGroupRank, kHidden);
    AddMix("hc_attn");
    AddMix("hc_ffn");
  }

  void AddCompressor(uint32_t ratio) {
    const int64_t width = (ratio == 4 ? 2 : 1) * kHeadDim;
    AddQ8("attn_compressor_kv.weight", kHidden, width);
    AddQ8("attn_compressor_gate.weight", kHidden, width);
    AddF32("attn_compressor_ape.weight", {width, ratio}, 0, 0.1f);
    AddF32("attn_compressor_norm.weight", {kHeadDim}, 1, 0);
  }

  void AddIndexer() {
    AddQ8("indexer.proj.weight", kHidden, kIndexHeads);
    AddQ8("indexer.attn_q_b.weight", kQueryRank, kIndexHeads * kIndexDim);
    AddQ8("indexer_compressor_kv.weight", kHidden, 2 * kIndexDim);
    AddQ8("indexer_compressor_gate.weight", kHidden, 2 * kIndexDim);
    AddF32("indexer_compressor_ape.weight", {2 * kIndexDim, 4}, 0, 0.1f);
    AddF32("indexer_compressor_norm.weight", {kIndexDim}, 1, 0);
  }

  void AddExperts() {
    AddF32("ffn_gate_inp.weight", {kHidden, kExperts}, 0, 0.03f);
    AddF32("exp_probs_b.bias", {kExperts}, 0, 0);
    AddF32("ffn_norm.weight", {kHidden}, 1, 0);
    Add("ffn_gate_exps.weight", GGML_TYPE_MXFP4, {kHidden, kInner, kExperts});
    Add("ffn_down_exps.weight", GGML_TYPE_MXFP4, {kInner, kHidden, kExperts});
    Add("ffn_up_exps.weight", GGML_TYPE_MXFP4, {kHidden, kInner, kExperts});
    AddQ8("ffn_gate_shexp.weight", kHidden, kInner);
    AddQ8("ffn_down_shexp.weight", kInner, kHidden);
    AddQ8("ffn_up_shexp.weight", kHidden, kInner);
  }

  // Blocks of 32 begin with their scale: one byte of MXFP4, an F16 of Q8_0.
  void WriteValues(const Tensor& tensor, std::FILE* out) {
    std::vector<uint8_t> buffer(size_t{34} * 17 * 4096);  // whole blocks and values of every type
    for (size_t left = tensor.bytes; left > 0;) {
      const size_t n = std::min(left, buffer.size());
      for (size_t i = 0; i < n; i += 4) {
        const uint32_t bits = static_cast<uint32_t>(random_());
        std::memcpy(&buffer[i], &bits, 4);
      }
      Shape(tensor, n, buffer);
      std::fwrite(buffer.data(), 1, n, out);
      left -= n;
    }
  }
  static void Shape(const Tensor& tensor, size_t n, std::vector<uint8_t>& buffer) {
    if (tensor.type == GGML_TYPE_F32) {
      for (size_t i = 0; i + 4 <= n; i += 4) {
        const float unit = static_cast<float>(buffer[i]) / 127.5f - 1;
        const float value = tensor.mean + tensor.spread * unit;
        std::memcpy(&buffer[i], &value, 4);
      }
    }
    for (size_t i = 1; tensor.type == GGML_TYPE_F16 && i < n; i += 2) {
      buffer[i] = 0x24 | (buffer[i] & 0x83);
    }
    for (size_t i = 0; tensor.type == GGML_TYPE_MXFP4 && i < n; i += 17) buffer[i] = 119;
    for (size_t i = 0; tensor.type == GGML_TYPE_Q8_0 && i < n; i += 34) {
      buffer[i] = 0x39;
      buffer[i + 1] = 0x0A;
    }
  }

  gguf_context* file_ = gguf_init_empty();
  ggml_context* context_ = ggml_init({64u << 20, nullptr, true});
  std::string prefix_;
  std::vector<Tensor> tensors_;
  std::mt19937 random_{1};
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "gguf_slice: expected OUT.gguf\n");
    return 2;
  }
  Slice slice;
  slice.AddTensors();
  if (!slice.Write(argv[1])) {
    std::perror(argv[1]);
    return 1;
  }
  std::printf("{\"layers\": %zu, \"token_bytes\": %.0f}\n", kLayers, slice.TokenBytes());
  return 0;
}
