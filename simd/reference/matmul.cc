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

void PackInt8Block(const Bf16* x, float* out) {
  const float scale = LargestMagnitude(x, kScaleBlock) / 127;
  for (size_t i = 0; i < kScaleBlock; ++i) {
    out[i] = std::nearbyint(ToFloat(x[i]) / (scale > 0 ? scale : 1)) * scale;
  }
}

void Pack(Format, Activation activation, const Bf16* x, size_t, Range part, uint8_t* packed) {
  float* out = reinterpret_cast<float*>(packed);
  for (size_t i = part.begin; i < part.end; i += kScaleBlock) {
    switch (activation) {
      case Activation::kBf16:
        for (size_t j = i; j < i + kScaleBlock; ++j) out[j] = ToFloat(x[j]);
        break;
      case Activation::kFp8:
        PackFp8Block(x + i, out + i);
        break;
      case Activation::kInt8:
        PackInt8Block(x + i, out + i);
    }
  }
}

template <typename T>
T Load(const uint8_t* data, size_t index) {
  T value;
  std::memcpy(&value, data + index * sizeof(T), sizeof(T));
  return value;
}

// The 32 weights of a row that begin at `index` and share `scale`.
void DecodeBlock(const WeightMatrix& w, size_t index, uint8_t scale, float* out) {
  const float factor = DecodeUe8m0(scale);
  for (size_t i = 0; i < kScaleBlock; ++i) {
    out[i] = factor * (w.format == Format::kFp8 ? DecodeE4m3(w.data[index + i])
                                                : Fp4Element(w.data, index + i));
  }
}

void DecodeRow(const WeightMatrix& w, size_t row, float* out) {
  const size_t first = row * w.cols, blocks = w.cols / kScaleBlock;
  if (w.format == Format::kF32) {
    for (size_t k = 0; k < w.cols; ++k) out[k] = Load<float>(w.data, first + k);
  } else if (w.format == Format::kBf16) {
    for (size_t k = 0; k < w.cols; ++k) out[k] = ToFloat(Load<Bf16>(w.data, first + k));
  } else {
    const size_t scale_row = w.format == Format::kFp8 ? row / kScaleBlock : row;
    for (size_t b = 0; b < blocks; ++b) {
      const size_t k = b * kScaleBlock;
      DecodeBlock(w, first + k, w.scales[scale_row * blocks + b], out + k);
    }
  }
}

// n is a multiple of 4. Four sums, since each addition waits for the one before.
float Dot(const float* x, const float* w, size_t n) {
  double sums[4] = {};
  for (size_t i = 0; i < n; i += 4) {
    for (size_t j = 0; j < 4; ++j) sums[j] += static_cast<double>(x[i + j]) * w[i + j];
  }
  return static_cast<float>((sums[0] + sums[1]) + (sums[2] + sums[3]));
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
    DecodeRow(w, j, weights);
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
