#include "weights/synthetic_pool.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>

#include "simd/formats.h"

namespace cedar {
namespace {

// Values in a pool of large tensors.
constexpr size_t kPoolValues = size_t{1} << 21;

// A pair of independent standard normal values (Box and Muller).
void NormalPair(Random& random, float* out) {
  const double u = 1 - random.NextUnit(), v = random.NextUnit();
  const double radius = std::sqrt(-2 * std::log(u)), angle = 2 * std::numbers::pi * v;
  out[0] = static_cast<float>(radius * std::cos(angle));
  out[1] = static_cast<float>(radius * std::sin(angle));
}

size_t BlockValues(TensorKind kind) {
  if (kind == TensorKind::kFp8) return kScaleBlock * kScaleBlock;
  if (kind == TensorKind::kFp4 || kind == TensorKind::kFp8Rows) return kScaleBlock;
  return 1;
}

size_t UnitBytes(TensorKind kind) {
  if (kind == TensorKind::kF32) return sizeof(float);
  if (kind == TensorKind::kBf16) return sizeof(Bf16);
  return kind == TensorKind::kFp4 ? kScaleBlock / 2 : BlockValues(kind);
}

// Units that a row (or a strip of 32 rows) of a tensor takes.
size_t UnitsOfStrip(TensorKind kind, size_t cols) {
  return BlockValues(kind) == 1 ? cols : cols / kScaleBlock;
}

// Twice the longest strip at least, so that there are places to cut at.
size_t UnitsOfPool(const SyntheticTensor& t) {
  const size_t values = std::min(kPoolValues, t.rows() * t.cols());
  return std::max(values / BlockValues(t.kind), 2 * UnitsOfStrip(t.kind, t.cols()));
}

// Quantises a block with one UE8M0 scale that takes its largest value into the format's range.
void QuantiseBlock(TensorKind kind, const float* values, size_t n, uint8_t* codes, uint8_t* scale) {
  float largest = 1e-4f;
  for (size_t i = 0; i < n; ++i) largest = std::max(largest, std::fabs(values[i]));
  const bool fp4 = kind == TensorKind::kFp4;
  const int exponent = CeilLog2(largest / (fp4 ? kFp4Max : kFp8Max));
  *scale = static_cast<uint8_t>(exponent + 127);
  for (size_t i = 0; i < n; ++i) {
    const double x = std::ldexp(static_cast<double>(values[i]), -exponent);
    if (!fp4) {
      codes[i] = EncodeE4m3(x);
    } else if (i % 2 == 0) {
      codes[i / 2] = EncodeE2m1(x);
    } else {
      codes[i / 2] = static_cast<uint8_t>(codes[i / 2] | EncodeE2m1(x) << 4);
    }
  }
}

}  // namespace

SyntheticPool::SyntheticPool(const SyntheticTensor& tensor, Random& random)
    : kind_(tensor.kind),
      spread_(tensor.spread),
      units_(UnitsOfPool(tensor)),
      unit_bytes_(UnitBytes(tensor.kind)),
      weights_(units_ * unit_bytes_) {
  if (BlockValues(kind_) == 1) {
    MakePlain(random);
  } else {
    MakeBlocks(random);
  }
}

void SyntheticPool::MakePlain(Random& random) {
  float pair[2] = {};
  for (size_t i = 0; i < units_; ++i) {
    if (i % 2 == 0) NormalPair(random, pair);
    const float value = spread_.mean + spread_.deviation * pair[i % 2];
    if (kind_ == TensorKind::kF32) {
      std::memcpy(&weights_[i * sizeof(float)], &value, sizeof(float));
    } else {
      const Bf16 rounded = RoundToBf16(value);
      std::memcpy(&weights_[i * sizeof(Bf16)], &rounded, sizeof(Bf16));
    }
  }
}

void SyntheticPool::MakeBlocks(Random& random) {
  const size_t n = BlockValues(kind_);
  std::vector<float> values(n);
  scales_.resize(units_);
  for (size_t i = 0; i < units_; ++i) {
    for (size_t j = 0; j < n; j += 2) NormalPair(random, &values[j]);
    for (float& value : values) value = spread_.mean + spread_.deviation * value;
    QuantiseBlock(kind_, values.data(), n, &weights_[i * unit_bytes_], &scales_[i]);
  }
}

size_t SyntheticPool::Cut(size_t cols, Random& random) const {
  return random.Next() % (units_ - UnitsOfStrip(kind_, cols) + 1);
}

void SyntheticPool::CopyWeights(size_t cut, size_t rows, size_t cols, uint8_t* out) const {
  const size_t units = UnitsOfStrip(kind_, cols);
  if (kind_ != TensorKind::kFp8) {
    std::memcpy(out, &weights_[cut * unit_bytes_], units * unit_bytes_);
    return;
  }
  for (size_t row = 0; row < rows; ++row) {
    for (size_t block = 0; block < units; ++block) {
      std::memcpy(out + row * cols + block * kScaleBlock,
                  &weights_[(cut + block) * unit_bytes_ + row * kScaleBlock], kScaleBlock);
    }
  }
}

void SyntheticPool::CopyScales(size_t cut, size_t cols, uint8_t* out) const {
  std::memcpy(out, &scales_[cut], cols / kScaleBlock);
}

}  // namespace cedar
