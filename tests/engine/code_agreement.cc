#include "tests/engine/code_agreement.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iostream>

#include "simd/formats.h"

namespace cedar {

// One element of a packed row.
struct CodeAgreement::Code {
  int magnitude;  // the code without its sign
  bool negative;
  float scale;
  float (*decode)(uint8_t);  // of a magnitude

  int ordered() const { return negative ? -magnitude : magnitude; }
  float value() const {
    const float unsigned_value = scale * decode(static_cast<uint8_t>(magnitude));
    return negative ? -unsigned_value : unsigned_value;
  }
  // How far apart values lie here.
  float step() const {
    const int low = std::max(magnitude - 1, 0);
    return scale * (decode(static_cast<uint8_t>(low + 1)) - decode(static_cast<uint8_t>(low)));
  }
};

void CodeAgreement::Add(const Code& ours, const Code& truth) {
  ++codes_;
  const bool same_scale = ours.scale == truth.scale;
  if (same_scale && ours.magnitude == truth.magnitude && ours.negative == truth.negative) {
    ++equal_;
  } else if (same_scale) {
    far_ += std::abs(ours.ordered() - truth.ordered()) > 1;
  } else {  // a largest value on the edge between two scales
    far_ += std::abs(ours.value() - truth.value()) > std::max(ours.step(), truth.step());
  }
}

void CodeAgreement::AddWindowRow(const uint8_t* ours, const uint8_t* truth, size_t channels) {
  const auto code = [&](const uint8_t* row, size_t i) {
    return Code{row[i] & 0x7F, (row[i] & 0x80) != 0, DecodeUe8m0(row[channels + i / kScaleBlock]),
                DecodeE4m3};
  };
  for (size_t i = 0; i < channels; ++i) Add(code(ours, i), code(truth, i));
}

void CodeAgreement::AddCompressedRow(const uint8_t* ours, const uint8_t* truth, size_t channels) {
  const auto code = [&](const uint8_t* row, size_t i) {
    const int nibble = row[i / 2] >> (i % 2 * 4) & 0xF;
    return Code{nibble & 7, (nibble & 8) != 0, DecodeE4m3(row[channels / 2 + i / kCompressedBlock]),
                DecodeE2m1};
  };
  for (size_t i = 0; i < channels; ++i) Add(code(ours, i), code(truth, i));
}

void CodeAgreement::AddIndexKey(const uint8_t* ours, const uint8_t* truth, size_t channels) {
  const auto code = [&](const uint8_t* row, size_t i) {
    const int nibble = row[i / 2] >> (i % 2 * 4) & 0xF;
    return Code{nibble & 7, (nibble & 8) != 0, DecodeUe8m0(row[channels / 2 + i / kScaleBlock]),
                DecodeE2m1};
  };
  for (size_t i = 0; i < channels; ++i) Add(code(ours, i), code(truth, i));
}

void CodeAgreement::Check(const std::string& what) const {
  EXPECT_GT(codes_, 0u) << what;
  EXPECT_GE(equal_ * 1000, codes_ * 999) << what;
  EXPECT_EQ(far_, 0u) << what;
  std::cout << what << ": " << equal_ << " of " << codes_ << " codes equal\n";
}

}  // namespace cedar
