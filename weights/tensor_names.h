#ifndef CEDAR_WEIGHTS_TENSOR_NAMES_H_
#define CEDAR_WEIGHTS_TENSOR_NAMES_H_

// The names of the tensors in a checkpoint (checkpoint.md, the table). They are spelled here only.

#include <cstddef>
#include <string>
#include <string_view>

namespace cedar::tensor_names {

inline constexpr std::string_view kEmbed = "embed.weight";
inline constexpr std::string_view kNorm = "norm.weight";
inline constexpr std::string_view kHead = "head.weight";

// Parts of a layer, to be put together by Layer().
inline constexpr std::string_view kAttnNorm = "attn_norm.weight";
inline constexpr std::string_view kFfnNorm = "ffn_norm.weight";
inline constexpr std::string_view kAttnMix = "hc_attn";  // + one of the next three
inline constexpr std::string_view kFfnMix = "hc_ffn";
inline constexpr std::string_view kMixFn = "_fn";
inline constexpr std::string_view kMixBase = "_base";
inline constexpr std::string_view kMixScale = "_scale";

inline constexpr std::string_view kSink = "attn.attn_sink";
inline constexpr std::string_view kWqA = "attn.wq_a.weight";
inline constexpr std::string_view kQNorm = "attn.q_norm.weight";
inline constexpr std::string_view kWqB = "attn.wq_b.weight";
inline constexpr std::string_view kWkv = "attn.wkv.weight";
inline constexpr std::string_view kKvNorm = "attn.kv_norm.weight";
inline constexpr std::string_view kWoA = "attn.wo_a.weight";
inline constexpr std::string_view kWoB = "attn.wo_b.weight";
inline constexpr std::string_view kCompressorWkv = "attn.compressor.wkv.weight";
inline constexpr std::string_view kCompressorGate = "attn.compressor.wgate.weight";
inline constexpr std::string_view kCompressorNorm = "attn.compressor.norm.weight";
inline constexpr std::string_view kIndexWk = "attn.indexer.wk.weight";
inline constexpr std::string_view kIndexKNorm = "attn.indexer.k_norm.weight";
inline constexpr std::string_view kIndexWqB = "attn.indexer.wq_b.weight";
inline constexpr std::string_view kIndexWeights = "attn.indexer.weights_proj.weight";

inline constexpr std::string_view kGate = "ffn.gate.weight";
inline constexpr std::string_view kGateBias = "ffn.gate.bias";
inline constexpr std::string_view kSharedExpert = "ffn.shared_experts.";  // + one of the next three
inline constexpr std::string_view kW1 = "w1.weight";
inline constexpr std::string_view kW2 = "w2.weight";
inline constexpr std::string_view kW3 = "w3.weight";

inline constexpr std::string_view kEngramTable = "engram.embed.weight";
inline constexpr std::string_view kEngramWkv = "engram.wkv.weight";
inline constexpr std::string_view kEngramQ = "engram.q_weight";
inline constexpr std::string_view kEngramK = "engram.k_weight";

inline std::string Layer(size_t layer, std::string_view part, std::string_view more = "") {
  return "layers." + std::to_string(layer) + "." + std::string(part) + std::string(more);
}

inline std::string RoutedExpert(size_t layer, size_t expert, std::string_view part) {
  return Layer(layer, "ffn.experts.") + std::to_string(expert) + "." + std::string(part);
}

// The scales of a quantised "X.weight".
inline std::string Scale(std::string_view weight) {
  constexpr std::string_view kSuffix = ".weight";
  if (weight.ends_with(kSuffix)) weight.remove_suffix(kSuffix.size());
  return std::string(weight) + ".scale";
}

}  // namespace cedar::tensor_names

#endif  // CEDAR_WEIGHTS_TENSOR_NAMES_H_
