#include "weights/bad_values.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "simd/error.h"

namespace cedar {
namespace {

// A code is bad if all bits of the mask are set in it.
template <typename Code, Code kMask>
struct Rule {
  // The code in each lane of a word.
  static constexpr uint64_t Spread(Code code) {
    return ~uint64_t{0} / static_cast<Code>(~Code{0}) * code;
  }

  // Whether one of the codes in a word may be bad; never misses one. What is missing of the mask is
  // zero in the lane of a bad code; zero lanes are found by the borrow that subtracting 1 takes.
  static bool MayHaveBad(uint64_t word) {
    const uint64_t missing = ~word & Spread(kMask);
    constexpr Code kTop = static_cast<Code>(Code{1} << (8 * sizeof(Code) - 1));
    return ((missing - Spread(1)) & ~missing & Spread(kTop)) != 0;
  }

  static void Look(const uint8_t* data, size_t begin, size_t end, BadValues& bad) {
    for (size_t at = begin; at + sizeof(Code) <= end; at += sizeof(Code)) {
      Code code;
      std::memcpy(&code, data + at, sizeof(code));
      if ((code & kMask) != kMask) continue;
      if (bad.count++ == 0) bad.first = at, bad.code = code;
    }
  }

  static BadValues Find(std::span<const uint8_t> bytes) {
    BadValues bad;
    constexpr size_t kWords = 8;
    size_t at = 0;
    for (; at + kWords * 8 <= bytes.size(); at += kWords * 8) {
      uint64_t words[kWords];
      std::memcpy(words, bytes.data() + at, sizeof(words));
      unsigned may = 0;
      for (const uint64_t word : words) may |= static_cast<unsigned>(MayHaveBad(word));
      if (may != 0) Look(bytes.data(), at, at + kWords * 8, bad);
    }
    Look(bytes.data(), at, bytes.size(), bad);
    return bad;
  }
};

using Fp8 = Rule<uint8_t, 0x7F>;
using E8m0 = Rule<uint8_t, 0xFF>;
using Bf16Rule = Rule<uint16_t, 0x7F80>;
using F32 = Rule<uint32_t, 0x7F800000>;

}  // namespace

size_t ValueBytes(DType dtype) {
  switch (dtype) {
    case DType::kFp8E4m3:
    case DType::kE8m0:
      return 1;
    case DType::kBf16:
      return 2;
    case DType::kF32:
      return 4;
    case DType::kI8:
    case DType::kOther:
      return 0;
  }
  return 0;
}

BadValues FindBadValues(DType dtype, std::span<const uint8_t> bytes) {
  CEDAR_CHECK(ValueBytes(dtype) > 0);
  if (dtype == DType::kFp8E4m3) return Fp8::Find(bytes);
  if (dtype == DType::kE8m0) return E8m0::Find(bytes);
  return dtype == DType::kBf16 ? Bf16Rule::Find(bytes) : F32::Find(bytes);
}

std::string BadValueText(DType dtype, uint32_t code) {
  if (dtype == DType::kE8m0) return "a scale of 255";
  const bool fraction = (code & (dtype == DType::kBf16 ? 0x7Fu : 0x7FFFFFu)) != 0;
  char text[32];
  std::snprintf(text, sizeof(text), "%s (0x%0*x)",
                dtype == DType::kFp8E4m3 || fraction ? "NaN" : "infinity",
                static_cast<int>(2 * ValueBytes(dtype)), code);
  return text;
}

}  // namespace cedar
