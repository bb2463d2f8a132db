#include "weights/other_models.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "weights/model_error.h"

namespace cedar {
namespace {

using Json = nlohmann::json;
using NamePair = std::pair<std::string_view, std::string_view>;

constexpr const char* kOurs =
    "FP8 in blocks of 32 x 32 with ue8m0 scales as released, or no quantization_config (BF16)";

// What quant_method calls a quantisation -> what people call it.
constexpr std::array<NamePair, 13> kMethods = {{{"modelopt", "ModelOpt"},
                                                {"modelopt_fp4", "NVFP4"},
                                                {"nvfp4", "NVFP4"},
                                                {"quark", "Quark"},
                                                {"exl3", "EXL3"},
                                                {"exl2", "EXL2"},
                                                {"awq", "AWQ"},
                                                {"gptq", "GPTQ"},
                                                {"auto-round", "AutoRound"},
                                                {"mxfp4", "MXFP4"},
                                                {"bitsandbytes", "bitsandbytes"},
                                                {"torchao", "torchao"},
                                                {"compressed-tensors", "compressed-tensors"}}};

// Ends of the names of tensors that only such a quantisation has.
constexpr std::array<NamePair, 13> kTensorEnds = {
    {{".weight_scale_2", "NVFP4"},
     {".weight_packed", "compressed-tensors"},
     {".weight_scale_inv", "FP8 with weight_scale_inv"},
     {".weight_scale", "ModelOpt, Quark or compressed-tensors"},
     {".trellis", "EXL3"},
     {".q_groups", "EXL2"},
     {".qweight", "GPTQ or AWQ"},
     {".qzeros", "GPTQ or AWQ"},
     {".scales", "MLX, GPTQ or AWQ"},
     {".biases", "MLX"},
     {".absmax", "bitsandbytes"},
     {".weight_blocks", "MXFP4"},
     {"_blocks", "MXFP4"}}};

bool Has(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && !found->is_null();
}

std::string TextOf(const Json& object, const char* key) {
  return Has(object, key) && object[key].is_string() ? object[key].get<std::string>() : "";
}

void CheckType(const Json& object, const std::string& where, std::string_view ours) {
  const std::string type = TextOf(object, "model_type");
  if (type.empty() || type == ours || type == std::string(ours) + "_text") return;
  RefuseModel(where + "model_type", Quoted(type), Quoted(ours) + " (DeepSeek-V4.1-Flash)");
}

// "NVFP4 (modelopt)": the method, and what it says of itself.
std::string MethodName(const Json& quantization) {
  const std::string method = TextOf(quantization, "quant_method");
  std::string name = method;
  for (const auto& [key, known] : kMethods) {
    if (key == method) name = known;
  }
  for (const char* key : {"quant_algo", "format"}) {
    const std::string detail = TextOf(quantization, key);
    if (!detail.empty()) return detail + " (" + name + ")";
  }
  return name;
}

// MLX writes bits and group_size, and no method.
std::optional<std::string> MlxName(const Json& quantization) {
  if (Has(quantization, "quant_method") || !Has(quantization, "bits")) return std::nullopt;
  const std::string bits = quantization["bits"].dump();
  return "MLX (" + bits.substr(0, 8) + " bits)";
}

// Block sizes that are there must be ours.
bool AreOurBlocks(const Json& quantization) {
  if (!Has(quantization, "weight_block_size")) return true;
  return quantization["weight_block_size"] == Json::array({32, 32});
}

std::optional<std::string> OtherQuantisation(const Json& quantization) {
  if (const auto mlx = MlxName(quantization)) return mlx;
  const std::string method = TextOf(quantization, "quant_method");
  if (!method.empty() && method != "fp8") return MethodName(quantization);
  if (!AreOurBlocks(quantization)) {
    return "FP8 in blocks of " + quantization["weight_block_size"].dump().substr(0, 40);
  }
  const std::string scales = TextOf(quantization, "scale_fmt");
  if (!scales.empty() && scales != "ue8m0") return "FP8 with scales of " + Quoted(scales);
  const std::string experts = TextOf(quantization, "expert_dtype");
  constexpr std::array<std::string_view, 4> kExperts = {"fp4", "fp8", "bf16", "bfloat16"};
  if (!experts.empty() && std::ranges::find(kExperts, experts) == kExperts.end()) {
    return "experts of " + Quoted(experts);
  }
  return std::nullopt;
}

void CheckQuantisation(const Json& object, const std::string& where) {
  for (const char* key : {"quantization_config", "quantization"}) {
    if (!Has(object, key)) continue;
    if (!object[key].is_object()) continue;  // refused where it is read
    if (const auto other = OtherQuantisation(object[key])) {
      RefuseModel(where + key, "another quantisation: " + *other, kOurs);
    }
  }
}

}  // namespace

void RefuseOtherModels(const Json& config, const std::string& file) {
  CheckType(config, file + ": ", "deepseek_v41");
  CheckQuantisation(config, file + ": ");
  if (!Has(config, "text_config") || !config["text_config"].is_object()) return;
  CheckType(config["text_config"], file + ": text_config.", "deepseek_v41");
  CheckQuantisation(config["text_config"], file + ": text_config.");
}

std::string_view OtherQuantisationOf(std::string_view tensor) {
  if (tensor.find("layers.") == tensor.npos) return "";
  for (const auto& [end, name] : kTensorEnds) {
    if (tensor.ends_with(end)) return name;
  }
  return "";
}

}  // namespace cedar
