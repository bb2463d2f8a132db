#include "simd/reference/matmul.h"

#include <cmath>
#include <cstring>

#include "simd/reference/quantise.h"

namespace cedar::simd::reference {

namespace {

// Both a packed activation row and a decoded weight row are [cols] fp32.
size_t RowBytes(Format, size_t cols) { return (cols * sizeof(float) + 63) / 64 * 64; }

void PackFp8Block(const Bf16* x, float* out) {
  const double scale = std::ldexp(1.0, Fp8ScaleExponent(x));
  for (size_t i = 0; i < kScaleBlock; ++i) {
    out[i] = static_cast<float>(DecodeE4m3(EncodeE4m3(ToFloat(x[i]) / scale)) * scale);
  }
}

void Pack(Format, Activation activation, const Bf16* x, size_t cols, uint8_t* packed) {
  float* out = reinterpret_cast<float*>(packed);
  if (activation == Activation::kFp8) {
    for (size_t i = 0; i < cols; i += kScaleBlock) PackFp8Block(x + i, out + i);
  } else {
    for (size_t i = 0; i < cols; ++i) out[i] = ToFloat(x[i]);
  }
}

template <typename T>
T Load(const uint8_t* data, size_t index) {
  T value;
  std::memcpy(&value, data + index * sizeof(T), sizeof(T));
  return value;
}

float Element(const WeightMatrix& w, size_t row, size_t col) {
  const size_t index = row * w.cols + col, block = col / kScaleBlock, blocks = w.cols / kScaleBlock;
  switch (w.format) {
    case Format::kF32:
      return Load<float>(w.data, index);
    case Format::kBf16:
      return ToFloat(Load<Bf16>(w.data, index));
    case Format::kFp8:
      return DecodeE4m3(w.data[index]) * DecodeUe8m0(w.scales[row / kScaleBlock * blocks + block]);
    case Format::kFp4:
      return Fp4Element(w.data, index) * DecodeUe8m0(w.scales[row * blocks + block]);
  }
  return 0;
}

float Dot(const float* x, const float* w, size_t n) {
  double sum = 0;
  for (size_t i = 0; i < n; ++i) sum += static_cast<double>(x[i]) * w[i];
  return static_cast<float>(sum);
}

void Put(const MatMulOutput& y, size_t i, size_t j, float value) {
  if (y.f32 != nullptr) {
    y.f32[i * y.stride + j] = value;
  } else {
    y.bf16[i * y.stride + j] = RoundToBf16(value);
  }
}

void Multiply(const WeightMatrix& w, Range range, std::span<const uint8_t* const> x,
              const MatMulOutput& y, uint8_t* scratch) {
  float* weights = reinterpret_cast<float*>(scratch);
  for (size_t j = range.begin; j < range.end; ++j) {
    for (size_t k = 0; k < w.cols; ++k) weights[k] = Element(w, j, k);
    for (size_t i = 0; i < x.size(); ++i) {
      Put(y, i, j, Dot(reinterpret_cast<const float*>(x[i]), weights, w.cols));
    }
  }
}

}  // namespace

MatMul ReferenceMatMul() {
  return {.name = "reference",
          .packed_bytes = RowBytes,
          .pack = Pack,
          .multiply = Multiply,
          .scratch_bytes = RowBytes};
}

}  // namespace cedar::simd::reference
