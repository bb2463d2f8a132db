// Matrix products of FP4 weights and int8 activations. Included once for each Highway target, by
// kernel files only.
//
// Twice a weight is a whole number, so the products of a block of 32 channels add up to an exact
// integer. One 32-bit lane belongs to one block (matmul_int8_pack-inl.h), so a vector of such sums
// is turned to fp32 once, multiplied by the blocks' activation scales and added, times their weight
// scales, to the element's lanes, step by step; at the end the lanes are added up. Nothing of that
// order depends on how many weight rows and activation rows are computed together, nor on how long
// rows are cut into panels.

#if defined(CEDAR_SIMD_MATMUL_INT8_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef CEDAR_SIMD_MATMUL_INT8_INL_H_
#undef CEDAR_SIMD_MATMUL_INT8_INL_H_
#else
#define CEDAR_SIMD_MATMUL_INT8_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "simd/byte_dots-inl.h"
#include "simd/matmul_int8_pack-inl.h"
#include "simd/matmul_int8_steps-inl.h"
#include "simd/matmul_views.h"
#include "simd/matrix.h"
#include "simd/vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace cedar::simd::HWY_NAMESPACE {

#if HWY_HAVE_SCALABLE || HWY_TARGET_IS_SVE

// One block after the other.
inline float Int8Dot(const WeightMatrix& w, size_t row, const uint8_t* x) {
  const hn::CappedTag<uint8_t, 16> d8;
  const hn::RebindToSigned<decltype(d8)> ds8;
  const hn::Repartition<int32_t, decltype(d8)> d32;
  const auto table = hn::LoadU(d8, kTwiceE2m1.bytes);
  const uint8_t *codes = WeightRow(w, row), *scales = ScaleRow(w, row);
  float sum = 0;
  for (size_t block = 0; block < w.cols / kScaleBlock; ++block, x += kPackedStepBytes) {
    const auto pairs = hn::LoadU(d8, codes + block * 16);
    const auto low = hn::TableLookupBytes(table, hn::And(pairs, hn::Set(d8, 15)));
    const auto high = hn::TableLookupBytes(table, hn::ShiftRight<4>(pairs));
    const auto* values = reinterpret_cast<const int8_t*>(x);
    auto dots = hn::SumOfMulQuadAccumulate(d32, hn::BitCast(ds8, low), hn::LoadU(ds8, values),
                                           hn::Zero(d32));
    dots =
        hn::SumOfMulQuadAccumulate(d32, hn::BitCast(ds8, high), hn::LoadU(ds8, values + 16), dots);
    float scale;
    std::memcpy(&scale, x + kScaleAt, sizeof(scale));
    sum += static_cast<float>(hn::ReduceSum(d32, dots)) * scale * DecodeUe8m0(scales[block]);
  }
  return 0.5f * sum;
}

inline void MultiplyInt8(const WeightMatrix& w, Range range, std::span<const uint8_t* const> x,
                         const MatMulOutput& y, uint8_t*) {
  for (size_t row = range.begin; row < range.end; ++row) {
    for (size_t i = 0; i < x.size(); ++i) Put(y, i, row, Int8Dot(w, row, x[i]));
  }
}

inline constexpr size_t Int8ScratchBytes(size_t) { return 0; }

#else

inline constexpr size_t kRowsTogether = 4;  // whose lanes are added up together

// ---- few activation rows: each weight row is decoded in registers -------------------------------

inline constexpr size_t kFewTokens = 4;

// Memory is asked for weights this far ahead, and to put them into the L2 cache, which can wait for
// more lines at a time than the L1 cache can.
inline constexpr size_t kInt8PrefetchBytes = 8192;

HWY_INLINE void PrefetchCodes(const uint8_t* codes, size_t bytes) {
  HWY_UNROLL(4)
  for (size_t line = 0; line < bytes; line += 64) {
    PrefetchToL2(codes + kInt8PrefetchBytes + line);
  }
}

// One step of a weight row with kTokens activation rows, which it moves on.
template <size_t kTokens, class Step>
HWY_INLINE void AddDecodedStep(const Step& step, const uint8_t* codes, const uint8_t* scales,
                               const uint8_t* (&x)[kTokens], VF (&sum)[1][kTokens]) {
  DecodedStep decoded;
  DecodeInt8Step(codes, scales, step, decoded);
  AddInt8Step<1, kTokens>([&](size_t, size_t v) HWY_ATTR { return decoded.weights[v]; },
                          [&](size_t) HWY_ATTR { return decoded.scales; }, x, sum);
  HWY_UNROLL(8)
  for (size_t m = 0; m < kTokens; ++m) x[m] += kPackedStepBytes;
}

// Sums of one weight row with kTokens activation rows.
template <size_t kTokens>
HWY_INLINE void MultiplyInt8Row(const WeightMatrix& w, size_t row, const uint8_t* const* x,
                                VF (&sum)[1][kTokens]) {
  const uint8_t *codes = WeightRow(w, row), *scales = ScaleRow(w, row);
  const uint8_t* at[kTokens];
  HWY_UNROLL(8)
  for (size_t m = 0; m < kTokens; ++m) {
    at[m] = x[m];
    sum[0][m] = hn::Zero(DF());
  }
  for (size_t step = 0; step < w.cols / kStepChannels; ++step) {
    PrefetchCodes(codes, kStepCodeBytes);
    AddDecodedStep(WholeStep(), codes, scales, at, sum);
    codes += kStepCodeBytes;
    scales += kStepBlocks;
  }
  if (const size_t rest = w.cols % kStepChannels; rest != 0) {
    PrefetchCodes(codes, rest / 2);
    AddDecodedStep(PartOfStep{rest / kScaleBlock}, codes, scales, at, sum);
  }
}

// Elements [token, token + kTokens) x [row, row + rows) of y; rows at most kRowsTogether.
template <size_t kTokens>
HWY_NOINLINE void FewTokens(const WeightMatrix& w, size_t row, size_t rows, const uint8_t* const* x,
                            size_t token, const MatMulOutput& y) {
  alignas(64) float lanes[kTokens][kRowsTogether][kStepBlocks];
  for (size_t r = 0; r < rows; ++r) {
    VF sum[1][kTokens];
    MultiplyInt8Row<kTokens>(w, row + r, x, sum);
    HWY_UNROLL(8)
    for (size_t m = 0; m < kTokens; ++m) hn::Store(sum[0][m], DF(), lanes[m][r]);
  }
  for (size_t r = rows; r < kRowsTogether; ++r) {
    for (size_t m = 0; m < kTokens; ++m) hn::Store(hn::Zero(DF()), DF(), lanes[m][r]);
  }
  for (size_t m = 0; m < kTokens; ++m) {
    float out[kRowsTogether];
    const auto load = [&](size_t r) HWY_ATTR { return hn::Load(DF(), lanes[m][r]); };
    SumLanes(load(0), load(1), load(2), load(3), out);
    for (size_t r = 0; r < rows; ++r) Put(y, token + m, row + r, out[r]);
  }
}

// All tokens, kFewTokens at a time.
HWY_INLINE void MultiplyFew(const WeightMatrix& w, size_t row, size_t rows,
                            std::span<const uint8_t* const> x, size_t token,
                            const MatMulOutput& y) {
  size_t m = 0;
  for (; m + 4 <= x.size(); m += 4) FewTokens<4>(w, row, rows, &x[m], token + m, y);
  if (m + 3 == x.size()) FewTokens<3>(w, row, rows, &x[m], token + m, y);
  if (m + 2 == x.size()) FewTokens<2>(w, row, rows, &x[m], token + m, y);
  if (m + 1 == x.size()) FewTokens<1>(w, row, rows, &x[m], token + m, y);
}

// ---- many activation rows: weight rows are decoded into a tile ----------------------------------

inline constexpr size_t kTileRows = kRowsTogether;

// A block of sums in registers. Of AVX2's sixteen, six pairs of rows and tokens take two each.
inline constexpr size_t kTileBlockRows = HWY_TARGET == HWY_AVX2 ? 2 : kTileRows;
inline constexpr size_t kTileTokens = 3;
// Activation rows that take part in one decoding.
inline constexpr size_t kInt8Chunk = 96;

// A row of a step in the tile: its weights, then their scales.
inline constexpr size_t kTileRowBytes = (kDotVectors + 1) * kLaneBytes;
inline constexpr size_t kTileStepBytes = kTileRows * kTileRowBytes;

// Steps of a tile, so that it and what a block takes of its activation rows stay in the L1 cache;
// longer rows are cut into panels, between which the sums of all activation rows wait in scratch
// memory.
inline constexpr size_t kPanelSteps = 14336 / kTileStepBytes;
inline constexpr size_t kTileSumBytes = kInt8Chunk * kTileRows * kLaneBytes;

inline constexpr size_t Int8ScratchBytes(size_t cols) {
  return kTileSumBytes + std::min(StepsOf(cols), kPanelSteps) * kTileStepBytes;
}

// Steps [begin, end) of weight rows, of which a last one may be a half.
struct TilePanel {
  size_t begin, end;
  bool first, last, half;
};

// What the work on kTileRows weight rows from `row` on shares.
struct Int8TileWork {
  const WeightMatrix& w;
  size_t row;
  std::span<const uint8_t* const> x;
  const MatMulOutput& y;
  size_t token;  // of y, for x[0]
  uint8_t* tile;
  float* sums;  // [x.size()][kTileRows] vectors

  float* SumsOf(size_t m, size_t r) const {
    return sums + (m * kTileRows + r) * HWY_MAX_LANES_D(DF);
  }
};

// Where a step's weights, and their scales after them, lie in a row of the tile.
struct TileStep {
  const uint8_t* at;

  hn::Vec<DWeight> Weight(size_t row, size_t v) const {
    return ForPairs(
        hn::BitCast(DWeight(), hn::Load(D8(), at + row * kTileRowBytes + v * kLaneBytes)));
  }
  VF Scale(size_t row) const {
    const uint8_t* p = at + row * kTileRowBytes + kDotVectors * kLaneBytes;
    return hn::Load(DF(), reinterpret_cast<const float*>(p));
  }
};

inline void StoreInTile(const DecodedStep& step, uint8_t* to) {
  HWY_UNROLL(8)
  for (size_t v = 0; v < kDotVectors; ++v) {
    hn::Store(hn::BitCast(D8(), step.weights[v]), D8(), to + v * kLaneBytes);
  }
  hn::Store(step.scales, DF(), reinterpret_cast<float*>(to + kDotVectors * kLaneBytes));
}

// The half steps of two rows become one, in the first.
inline void JoinHalves(const DecodedStep& second, DecodedStep& first) {
  const hn::Repartition<uint64_t, D8> d64;
  const auto join = [&](auto a, auto b) HWY_ATTR {
    const hn::DFromV<decltype(a)> d;
    return hn::BitCast(d, hn::InterleaveLower(d64, hn::BitCast(d64, a), hn::BitCast(d64, b)));
  };
  for (size_t v = 0; v < kDotVectors; ++v) {
    first.weights[v] = join(first.weights[v], second.weights[v]);
  }
  first.scales = join(first.scales, second.scales);
}

// The last step of the tile, of `rest` channels: of each row, or of each pair of rows.
HWY_NOINLINE void DecodeLastStep(const WeightMatrix& w, size_t row, size_t rest, uint8_t* to) {
  const size_t whole = w.cols / kStepChannels;
  const auto decode = [&](size_t r, DecodedStep& step) HWY_ATTR {
    DecodeInt8Step(WeightRow(w, r) + whole * kStepCodeBytes, ScaleRow(w, r) + whole * kStepBlocks,
                   PartOfStep{rest / kScaleBlock}, step);
  };
  for (size_t r = 0; r < kTileRows; r += 2, to += 2 * kTileRowBytes) {
    DecodedStep first, second;
    decode(row + r, first);
    decode(row + r + 1, second);
    if (IsHalfStep(rest)) {
      JoinHalves(second, first);
    } else {
      StoreInTile(second, to + kTileRowBytes);
    }
    StoreInTile(first, to);
  }
}

// The panel of kTileRows rows.
HWY_NOINLINE void DecodeInt8Tile(const Int8TileWork& t, const TilePanel& panel) {
  const size_t whole = std::min(t.w.cols / kStepChannels, panel.end),
               rest = t.w.cols % kStepChannels;
  for (size_t r = 0; r < kTileRows; ++r) {
    const uint8_t *codes = WeightRow(t.w, t.row + r), *scales = ScaleRow(t.w, t.row + r);
    uint8_t* to = t.tile + r * kTileRowBytes;
    DecodedStep decoded;
    for (size_t step = panel.begin; step < whole; ++step, to += kTileStepBytes) {
      DecodeInt8Step(codes + step * kStepCodeBytes, scales + step * kStepBlocks, WholeStep(),
                     decoded);
      StoreInTile(decoded, to);
    }
  }
  if (whole < panel.end) {
    DecodeLastStep(t.w, t.row, rest, t.tile + (whole - panel.begin) * kTileStepBytes);
  }
}

// The panel of rows [row, row + kTileBlockRows) of the tile times activation rows
// [first, first + kTokens).
template <size_t kTokens>
HWY_INLINE void SumTileRows(const Int8TileWork& t, const TilePanel& panel, size_t row, size_t first,
                            VF (&sum)[kTileBlockRows][kTokens]) {
  const uint8_t* at[kTokens];
  HWY_UNROLL(8)
  for (size_t m = 0; m < kTokens; ++m) {
    at[m] = t.x[first + m] + panel.begin * kPackedStepBytes;
    HWY_UNROLL(8)
    for (size_t r = 0; r < kTileBlockRows; ++r) {
      sum[r][m] = panel.first ? hn::Zero(DF()) : hn::Load(DF(), t.SumsOf(first + m, row + r));
    }
  }
  TileStep step{t.tile + row * kTileRowBytes};
  const auto weight = [&](size_t r, size_t v) HWY_ATTR { return step.Weight(r, v); };
  const auto scale = [&](size_t r) HWY_ATTR { return step.Scale(r); };
  for (size_t steps = panel.end - panel.begin - panel.half; steps > 0; --steps) {
    AddInt8Step<kTileBlockRows, kTokens>(weight, scale, at, sum);
    step.at += kTileStepBytes;
    HWY_UNROLL(8)
    for (size_t m = 0; m < kTokens; ++m) at[m] += kPackedStepBytes;
  }
  if (panel.half) {
    AddInt8HalfStep<kTileBlockRows, kTokens>(
        [&](size_t p, size_t v) HWY_ATTR { return step.Weight(2 * p, v); },
        [&](size_t p) HWY_ATTR { return step.Scale(2 * p); }, at, sum);
  }
}

// The panel of the tile's rows times activation rows [first, first + kTokens).
template <size_t kTokens>
HWY_NOINLINE void MultiplyTokens(const Int8TileWork& t, const TilePanel& panel, size_t first) {
  HWY_UNROLL(2)
  for (size_t row = 0; row < kTileRows; row += kTileBlockRows) {
    VF sum[kTileBlockRows][kTokens];
    SumTileRows<kTokens>(t, panel, row, first, sum);
    HWY_UNROLL(8)
    for (size_t m = 0; m < kTokens; ++m) {
      HWY_UNROLL(8)
      for (size_t r = 0; r < kTileBlockRows; ++r) {
        hn::Store(sum[r][m], DF(), t.SumsOf(first + m, row + r));
      }
    }
  }
  if (!panel.last) return;
  for (size_t m = first; m < first + kTokens; ++m) {
    const auto load = [&](size_t r) HWY_ATTR { return hn::Load(DF(), t.SumsOf(m, r)); };
    float out[kTileRows];
    SumLanes(load(0), load(1), load(2), load(3), out);
    for (size_t r = 0; r < kTileRows; ++r) Put(t.y, t.token + m, t.row + r, out[r]);
  }
}

// Asks for part `part` of `parts` of the rows that come after these: spread over the arithmetic, or
// they would wait for memory all at once.
HWY_INLINE void PrefetchNextTile(const WeightMatrix& w, size_t row, size_t part, size_t parts) {
  const size_t bytes = kTileRows * RowBytes(w.format, w.cols);
  const uint8_t* next = WeightRow(w, row + kTileRows);
  for (size_t i = part * bytes / parts; i < (part + 1) * bytes / parts; i += 64) {
    PrefetchToL2(next + i);
  }
}

// The panel of kTileRows weight rows times the activation rows of a chunk.
inline void MultiplyTilePanel(const Int8TileWork& t, const TilePanel& panel) {
  DecodeInt8Tile(t, panel);
  const size_t tokens = t.x.size(), blocks = tokens / kTileTokens;
  size_t m = 0;
  for (; m < blocks * kTileTokens; m += kTileTokens) {
    if (panel.first) PrefetchNextTile(t.w, t.row, m / kTileTokens, blocks);
    MultiplyTokens<kTileTokens>(t, panel, m);
  }
  if (m + 2 == tokens) MultiplyTokens<2>(t, panel, m);
  if (m + 1 == tokens) MultiplyTokens<1>(t, panel, m);
}

// Panels of about the same size.
inline void MultiplyTile(const Int8TileWork& t) {
  const size_t steps = StepsOf(t.w.cols), panels = (steps + kPanelSteps - 1) / kPanelSteps;
  for (size_t i = 0; i < panels; ++i) {
    const bool last = i + 1 == panels;
    MultiplyTilePanel(t, {i * steps / panels, (i + 1) * steps / panels, i == 0, last,
                          last && IsHalfStep(t.w.cols % kStepChannels)});
  }
}

// ---- products -----------------------------------------------------------------------------------

inline void MultiplyInt8(const WeightMatrix& w, Range range, std::span<const uint8_t* const> x,
                         const MatMulOutput& y, uint8_t* scratch) {
  for (size_t token = 0; token < x.size(); token += kInt8Chunk) {
    const auto chunk = x.subspan(token, std::min(kInt8Chunk, x.size() - token));
    size_t row = range.begin;
    if (chunk.size() > kFewTokens) {
      for (; row + kTileRows <= range.end; row += kTileRows) {
        MultiplyTile(
            {w, row, chunk, y, token, scratch + kTileSumBytes, reinterpret_cast<float*>(scratch)});
      }
    }
    for (; row < range.end; row += kRowsTogether) {
      MultiplyFew(w, row, std::min(kRowsTogether, range.end - row), chunk, token, y);
    }
  }
}

#endif  // HWY_HAVE_SCALABLE || HWY_TARGET_IS_SVE

}  // namespace cedar::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // include guard
