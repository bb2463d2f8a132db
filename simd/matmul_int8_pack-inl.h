// Rows of activations as int8 (engine/README.md), in the order in which the weights are left by
// matmul_int8-inl.h. Included once for each Highway target, by kernel files only.
//
// A step is as many blocks of 32 channels as a vector has 32-bit lanes: lane l belongs to one
// block, whose channels lie in that lane of eight vectors. Vector 4 * h + j holds in its lane the
// channels 8 * j + 2 * t + h of the block, t = 0..3: of four bytes of weights the lower or the
// upper nibbles. After the eight come two vectors: what the lane's sum starts with (DStart), and of
// fp32 the scale of its block.

#if defined(CEDAR_SIMD_MATMUL_INT8_PACK_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef CEDAR_SIMD_MATMUL_INT8_PACK_INL_H_
#undef CEDAR_SIMD_MATMUL_INT8_PACK_INL_H_
#else
#define CEDAR_SIMD_MATMUL_INT8_PACK_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "simd/byte_dots-inl.h"
#include "simd/formats.h"
#include "simd/matrix.h"
#include "simd/quantise-inl.h"

HWY_BEFORE_NAMESPACE();
namespace cedar::simd::HWY_NAMESPACE {

// Blocks of a step, and how they lie in memory: four loads of neighbouring blocks, turned so that
// lane l of all four gets words of block BlockOfLane(l). SVE takes one block at a time.
#if HWY_HAVE_SCALABLE || HWY_TARGET_IS_SVE
inline constexpr size_t kStepBlocks = 1;
inline constexpr size_t BlockOfLane(size_t) { return 0; }
#else
inline constexpr size_t kStepBlocks = HWY_MAX_LANES_D(DF);
inline constexpr size_t BlockOfLane(size_t lane) { return lane % 4 * (kStepBlocks / 4) + lane / 4; }
#endif

inline constexpr size_t kStepChannels = kStepBlocks * kScaleBlock;
inline constexpr size_t kStepCodeBytes = kStepChannels / 2;   // of FP4 weights
inline constexpr size_t kLaneBytes = kStepBlocks * 4;         // of a vector
inline constexpr size_t kStartAt = kDotVectors * kLaneBytes;  // within a packed step
inline constexpr size_t kScaleAt = kStartAt + kLaneBytes;
inline constexpr size_t kPackedStepBytes = kScaleAt + kLaneBytes;

// Whether so many channels are a last step that takes half of the lanes at most: the lower two of
// each four.
inline constexpr bool IsHalfStep(size_t channels) {
  return channels > 0 && 2 * channels <= kStepChannels;
}

inline constexpr size_t StepsOf(size_t cols) { return (cols + kStepChannels - 1) / kStepChannels; }

// 32 channels -> int8; returns their scale, amax / 127. Each operation is one of the oracle's.
HWY_INLINE float QuantiseInt8Block(const Bf16* x, int8_t* out) {
  const BlockTag<kScaleBlock> d;
  const hn::Rebind<int8_t, decltype(d)> d8;
  const auto scale = hn::Div(LargestMagnitude<kScaleBlock>(x), hn::Set(d, 127.0f));
  const auto divisor = hn::IfThenElse(hn::Gt(scale, hn::Zero(d)), scale, hn::Set(d, 1.0f));
  for (size_t i = 0; i < kScaleBlock; i += hn::Lanes(d)) {
    const auto quotient = hn::Div(LoadBf16(d, x + i, Whole()), divisor);
    hn::StoreU(hn::DemoteTo(d8, hn::NearestInt(quotient)), d8, out + i);
  }
  return hn::GetLane(scale);
}

// One block into lane `lane` of a packed step.
inline void PackInt8Block(const Bf16* x, size_t lane, uint8_t* step) {
  int8_t codes[kScaleBlock];
  const float scale = QuantiseInt8Block(x, codes);
  using Start = hn::TFromD<DStart>;
  Start starts[4 / sizeof(Start)] = {};
  for (size_t c = 0; c < kScaleBlock; ++c) {
    const size_t vector = c % 2 * 4 + c / 8, byte = c % 8 / 2;
    step[vector * kLaneBytes + 4 * lane + byte] = static_cast<uint8_t>(codes[c]);
    Start& start = starts[byte / sizeof(Start)];
    start = static_cast<Start>(start - kWeightOffset * codes[c]);
  }
  std::memcpy(step + kStartAt + 4 * lane, starts, sizeof(starts));
  std::memcpy(step + kScaleAt + 4 * lane, &scale, sizeof(scale));
}

// A lane whose block the row does not have.
inline void ClearInt8Lane(size_t lane, uint8_t* step) {
  for (size_t at = 4 * lane; at < kPackedStepBytes; at += kLaneBytes) std::memset(step + at, 0, 4);
}

// Blocks that the row does not have are zeros and belong to its last part; but a last step of at
// most half as many blocks holds them twice over, for two weight rows at once.
inline void PackInt8Row(const Bf16* x, size_t cols, Range part, uint8_t* packed) {
  const size_t blocks = cols / kScaleBlock;
  const size_t begin = part.begin / kScaleBlock;
  const size_t end = part.end == cols ? StepsOf(cols) * kStepBlocks : part.end / kScaleBlock;
  for (size_t first = begin / kStepBlocks * kStepBlocks; first < end; first += kStepBlocks) {
    uint8_t* const step = packed + first / kStepBlocks * kPackedStepBytes;
    const size_t different = IsHalfStep(cols - first * kScaleBlock) ? kStepBlocks / 2 : kStepBlocks;
    for (size_t lane = 0; lane < kStepBlocks; ++lane) {
      const size_t block = first + BlockOfLane(lane) % different;
      if (block < begin || block >= end) continue;
      if (block < blocks) {
        PackInt8Block(x + block * kScaleBlock, lane, step);
      } else {
        ClearInt8Lane(lane, step);
      }
    }
  }
}

}  // namespace cedar::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // include guard
