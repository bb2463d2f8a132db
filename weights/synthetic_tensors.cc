#include "weights/synthetic_tensors.h"

#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include "simd/formats.h"
#include "weights/bind_model.h"
#include "weights/tensor_source.h"

namespace cedar {
namespace {

// Means of norm weights and gains of projections, as measured on layers of the release.
constexpr std::array<std::pair<std::string_view, float>, 6> kNormMeans{{{"attn_norm", .025f},
                                                                        {"ffn_norm", .2f},
                                                                        {"q_norm", .97f},
                                                                        {"kv_norm", .4f},
                                                                        {"compressor.norm", .6f},
                                                                        {"k_norm", .5f}}};
constexpr std::array<std::pair<std::string_view, float>, 10> kGains{{{"wq_a", 1.6f},
                                                                     {"wq_b", .95f},
                                                                     {"wkv", 1.8f},
                                                                     {"wo_a", 1.6f},
                                                                     {"wo_b", 1.9f},
                                                                     {"gate", 2.9f},
                                                                     {"w1", 1.5f},
                                                                     {"w3", 1.5f},
                                                                     {"w2", 1.05f},
                                                                     {"head", 2.0f}}};

std::string_view WithoutWeight(std::string_view name) {
  if (name.ends_with(".weight")) name.remove_suffix(std::string_view(".weight").size());
  return name;
}

Spread SpreadOfMatrix(std::string_view name, size_t cols) {
  name = WithoutWeight(name);
  if (name == "embed") return {0, .12f};
  const std::string_view last = name.substr(name.rfind('.') + 1);
  float gain = 1;
  for (const auto& [part, value] : kGains) {
    if (last == part) gain = value;
  }
  return {0, gain / std::sqrt(static_cast<float>(cols))};
}

Spread SpreadOfVector(std::string_view name) {
  name = WithoutWeight(name);
  if (name.ends_with("q_weight") || name.ends_with("k_weight")) return {1, .3f};
  if (name.ends_with("gate.bias")) return {0, .1f};
  if (!name.ends_with("norm")) return {0, .5f};  // sinks, bases and scales of mixes
  for (const auto& [part, mean] : kNormMeans) {
    if (name.ends_with(part)) return {mean, .1f * mean};
  }
  return {1, .1f};
}

TensorKind KindOf(Format format) {
  switch (format) {
    case Format::kF32:
      return TensorKind::kF32;
    case Format::kBf16:
      return TensorKind::kBf16;
    case Format::kFp8:
      return TensorKind::kFp8;
    case Format::kFp4:
      return TensorKind::kFp4;
  }
  return TensorKind::kF32;
}

// Writes down what a model asks for instead of finding it.
class TensorLister : public TensorSource {
 public:
  WeightMatrix Matrix(const std::string& name, size_t rows, size_t cols, Format released,
                      Storage) override {
    tensors.push_back({name, KindOf(released), {rows, cols}, SpreadOfMatrix(name, cols)});
    return {released, rows, cols, nullptr, nullptr};
  }
  std::vector<float> Floats(const std::string& name, const std::vector<size_t>& shape) override {
    const Spread spread = SpreadOfVector(name);
    tensors.push_back(
        {name, spread.mean == 0 ? TensorKind::kF32 : TensorKind::kBf16, shape, spread});
    size_t values = 1;
    for (const size_t n : shape) values *= n;
    return std::vector<float>(values);
  }
  EngramTable Table(const std::string& name, size_t rows, size_t head_dim) override {
    tensors.push_back({name, TensorKind::kFp8Rows, {rows, head_dim}, {0, 1}});
    return {Format::kFp8, rows, head_dim, nullptr, nullptr};
  }

  std::vector<SyntheticTensor> tensors;
};

}  // namespace

size_t SyntheticTensor::weight_bytes() const {
  const size_t values = rows() * cols();
  switch (kind) {
    case TensorKind::kF32:
      return values * sizeof(float);
    case TensorKind::kBf16:
      return values * sizeof(Bf16);
    case TensorKind::kFp4:
      return values / 2;
    default:
      return values;
  }
}

size_t SyntheticTensor::scale_bytes() const {
  const size_t blocks = cols() / kScaleBlock;
  if (kind == TensorKind::kFp8) return (rows() + kScaleBlock - 1) / kScaleBlock * blocks;
  if (kind == TensorKind::kFp4 || kind == TensorKind::kFp8Rows) return rows() * blocks;
  return 0;
}

std::vector<SyntheticTensor> ListTensors(const ModelConfig& config, const LayerPlan& plan) {
  TensorLister lister;
  BindModel(lister, config, plan);
  return std::move(lister.tensors);
}

}  // namespace cedar
