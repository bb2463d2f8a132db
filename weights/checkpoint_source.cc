#include "weights/checkpoint_source.h"

#include <cmath>
#include <cstring>
#include <optional>
#include <string_view>

#include "simd/formats.h"
#include "weights/matrix_bytes.h"
#include "weights/model_error.h"
#include "weights/tensor_names.h"

namespace cedar {
namespace {

std::string Join(const std::vector<std::string>& choices) {
  std::string text;
  for (const std::string& choice : choices) text += (text.empty() ? "" : " or ") + choice;
  return text;
}

constexpr Format kFormats[] = {Format::kF32, Format::kBf16, Format::kFp8, Format::kFp4};

DType DTypeOf(Format format) {
  constexpr DType kDTypes[] = {DType::kF32, DType::kBf16, DType::kFp8E4m3, DType::kI8};
  return kDTypes[static_cast<size_t>(format)];
}

std::string_view DTypeName(Format format) {
  constexpr std::string_view kNames[] = {"F32", "BF16", "F8_E4M3", "I8"};
  return kNames[static_cast<size_t>(format)];
}

// FP4 lies as pairs.
std::vector<size_t> ShapeOf(Format format, size_t rows, size_t cols) {
  return {rows, format == Format::kFp4 ? cols / 2 : cols};
}

bool Allows(Storage storage, Format format) {
  if (storage == Storage::kBf16Only) return format == Format::kBf16;
  if (storage == Storage::kPlain) return format == Format::kF32 || format == Format::kBf16;
  return true;
}

std::vector<std::string> MatrixChoices(size_t rows, size_t cols, Format released, Storage storage) {
  std::vector<std::string> choices;
  for (const Format format : kFormats) {
    if (!Allows(storage, format)) continue;
    const std::string choice =
        std::string(DTypeName(format)) + " " + ShapeText(ShapeOf(format, rows, cols));
    choices.insert(format == released ? choices.begin() : choices.end(), choice);
  }
  return choices;
}

// bf16 or fp32 at any alignment.
std::vector<float> ToFloats(const Tensor& tensor) {
  const uint8_t* data = tensor.bytes.data();
  if (tensor.dtype == DType::kF32) {
    std::vector<float> floats(tensor.bytes.size() / sizeof(float));
    std::memcpy(floats.data(), data, tensor.bytes.size());
    return floats;
  }
  std::vector<float> floats(tensor.bytes.size() / sizeof(Bf16));
  for (size_t i = 0; i < floats.size(); ++i) {
    Bf16 x;
    std::memcpy(&x, data + i * sizeof(x), sizeof(x));
    floats[i] = ToFloat(x);
  }
  return floats;
}

}  // namespace

WeightMatrix CheckpointSource::Matrix(const std::string& name, size_t rows, size_t cols,
                                      Format released, Storage storage) {
  const Tensor* tensor = checkpoint_.Find(name);
  for (const Format format : kFormats) {
    if (tensor == nullptr || tensor->dtype != DTypeOf(format)) continue;
    if (!Allows(storage, format) || tensor->shape != ShapeOf(format, rows, cols)) continue;
    WeightMatrix matrix{format, rows, cols, tensor->bytes.data(), nullptr};
    const size_t scale_rows = ScaleRows(format, rows);
    if (scale_rows > 0) matrix.scales = Scales(name, scale_rows, ScaleCols(format, cols));
    return matrix;
  }
  // Nothing fits: spell out what would have.
  const Choices choices = MatrixChoices(rows, cols, released, storage);
  Refuse(Get(name, choices), choices);
}

std::vector<float> CheckpointSource::Floats(const std::string& name,
                                            const std::vector<size_t>& shape) {
  const Choices choices = {"BF16 " + ShapeText(shape), "F32 " + ShapeText(shape)};
  const Tensor& tensor = Get(name, choices);
  const bool plain = tensor.dtype == DType::kBf16 || tensor.dtype == DType::kF32;
  if (!plain || tensor.shape != shape) Refuse(tensor, choices);
  std::vector<float> floats = ToFloats(tensor);
  for (const float x : floats) {
    if (!std::isfinite(x)) {
      RefuseModel(checkpoint_.FileOf(tensor) + ": tensor " + Quoted(name), std::to_string(x),
                  "finite numbers");
    }
  }
  return floats;
}

EngramTable CheckpointSource::Table(const std::string& name, size_t rows, size_t head_dim) {
  const std::vector<size_t> shape = {rows, head_dim};
  const Choices choices = {"F8_E4M3 " + ShapeText(shape), "BF16 " + ShapeText(shape)};
  const Tensor& tensor = Get(name, choices);
  const bool fp8 = tensor.dtype == DType::kFp8E4m3;
  if ((!fp8 && tensor.dtype != DType::kBf16) || tensor.shape != shape) Refuse(tensor, choices);
  EngramTable table;
  table.format = fp8 ? Format::kFp8 : Format::kBf16;
  table.rows = rows;
  table.head_dim = head_dim;
  table.data = tensor.bytes.data();
  table.residency = checkpoint_.MappingOf(tensor.bytes).residency();
  AdviseRandomAccess(tensor.bytes);
  if (fp8) {
    // Each row has scales of its own, so that one look-up reads two places.
    const size_t scale_cols = head_dim / kScaleBlock;
    table.scales = Scales(name, rows, scale_cols);
    AdviseRandomAccess({table.scales, rows * scale_cols});
  }
  return table;
}

const Tensor& CheckpointSource::Get(const std::string& name, const Choices& choices) const {
  const Tensor* tensor = checkpoint_.Find(name);
  if (tensor == nullptr) {
    RefuseModel(checkpoint_.name() + ": tensor " + Quoted(name), "none", Join(choices));
  }
  return *tensor;
}

const uint8_t* CheckpointSource::Scales(const std::string& name, size_t rows, size_t cols) const {
  const std::vector<size_t> shape = {rows, cols};
  const Choices choices = {"F8_E8M0 " + ShapeText(shape)};
  const Tensor& tensor = Get(tensor_names::Scale(name), choices);
  if (tensor.dtype != DType::kE8m0 || tensor.shape != shape) Refuse(tensor, choices);
  return tensor.bytes.data();
}

void CheckpointSource::Refuse(const Tensor& tensor, const Choices& choices) const {
  RefuseModel(checkpoint_.FileOf(tensor) + ": tensor " + Quoted(tensor.name),
              Quoted(tensor.dtype_name) + " " + ShapeText(tensor.shape), Join(choices));
}

}  // namespace cedar
