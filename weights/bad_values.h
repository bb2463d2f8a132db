#ifndef CEDAR_WEIGHTS_BAD_VALUES_H_
#define CEDAR_WEIGHTS_BAD_VALUES_H_

// Codes that no weight may have: NaN in FP8, infinities and NaN in BF16 and FP32, and the scale
// 255, which is NaN in E8M0. Every code of FP4 is a number.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "weights/safetensors.h"

namespace cedar {

struct BadValues {
  size_t count = 0;
  size_t first = 0;   // its place in the bytes, if there is one
  uint32_t code = 0;  // and what stands there
};

// Bytes of a value of this type; 0 for types whose values are not looked at.
size_t ValueBytes(DType dtype);

// `bytes`: whole values, at any alignment. REQUIRES: ValueBytes(dtype) > 0.
BadValues FindBadValues(DType dtype, std::span<const uint8_t> bytes);

// "NaN (0x7f)", "a scale of 255", "infinity (0x7f80)"
std::string BadValueText(DType dtype, uint32_t code);

}  // namespace cedar

#endif  // CEDAR_WEIGHTS_BAD_VALUES_H_
