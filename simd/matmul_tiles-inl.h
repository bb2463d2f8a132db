// Matrix products on decoded copies of weights, for many activation rows, so that arithmetic is
// most of the work. Included once for each Highway target, by kernel files only.
//
// Of four weight rows at a time kPanelBytes each are decoded into a tile that stays in the cache
// while all activation rows pass by. The sums of every pair of rows, one vector each, wait in
// between in scratch memory.
//
// The order of an element's sum (simd/kernels.h, Bits) is one of two. For the rows of prompts, the
// tile holds scaled weights: vector after vector of the row, all into the same lanes; at the end
// the lanes are added up by AddLanes(). For generated rows it is that of matmul_rows-inl.h. How
// many rows a block has makes no difference.

#if defined(CEDAR_SIMD_MATMUL_TILES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef CEDAR_SIMD_MATMUL_TILES_INL_H_
#undef CEDAR_SIMD_MATMUL_TILES_INL_H_
#else
#define CEDAR_SIMD_MATMUL_TILES_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "simd/bf16-inl.h"
#include "simd/decode-inl.h"
#include "simd/matmul_pack-inl.h"
#include "simd/matmul_rows-inl.h"
#include "simd/matmul_steps-inl.h"
#include "simd/matmul_views.h"
#include "simd/matrix.h"

HWY_BEFORE_NAMESPACE();
namespace cedar::simd::HWY_NAMESPACE {

#if !HWY_HAVE_SCALABLE && !HWY_TARGET_IS_SVE

enum class Order { kPrompt, kGenerated };

// A block of sums in registers, 24 of 32 or 12 of 16, and what it takes of a decoded row at most.
// For generated rows the products of a step take half of the registers.
inline constexpr size_t kBlockRows = 4;
template <Order kOrder>
inline constexpr size_t kBlockTokens =
    HWY_TARGET == HWY_AVX2 || kOrder == Order::kGenerated ? 3 : 6;
inline constexpr size_t kPanelBytes = HWY_TARGET == HWY_AVX2 ? 4096 : 8192;
template <Order kOrder>
inline constexpr size_t kOrderPanelBytes = kOrder == Order::kPrompt ? kPanelBytes : kPanelBytes / 2;

// Activation rows that take part in one decoding.
inline constexpr size_t kChunkTokens = 96;

inline constexpr size_t kVectorBytes = HWY_MAX_LANES_D(D8);

// Weight rows whose products are put into y together: whole cache lines of it, because its rows lie
// a power of two apart for some matrices, so that a cache can hold but few of them at once.
inline constexpr size_t kOutRows = 32;

// Scratch memory: the tile, its scales (for generated rows; a step with a scale has at least two
// vectors), the sums and the products.
inline constexpr size_t kTileBytes = kBlockRows * kPanelBytes;
inline constexpr size_t kScaleBytes = kBlockRows * kOrderPanelBytes<Order::kGenerated> / 2;
inline constexpr size_t kSumBytes = kBlockRows * kChunkTokens * kVectorBytes;
inline constexpr size_t kTileScratchBytes =
    kTileBytes + kScaleBytes + kSumBytes + kChunkTokens * kOutRows * sizeof(float);

// What the work on kRows weight rows from `row` on shares: activation rows and where the products
// go.
struct TileWork {
  const WeightMatrix& w;
  size_t row;
  std::span<const uint8_t* const> x;
  uint8_t* tile;  // vector by vector, all rows of each
  float* scales;  // for generated rows: step by step, all rows of each
  float* sums;    // [x.size()][kRows] vectors
  float* out;     // [x.size()] rows kOutRows apart: the products of kRows weight rows in each
};

// ---- decoding -----------------------------------------------------------------------------------

// One step, to vectors that are `stride` bytes apart; for prompts with its scale.
template <class W, Order kOrder = Order::kPrompt>
HWY_INLINE void DecodeStep(const uint8_t* w, const uint8_t* s, uint8_t* to, size_t stride) {
  const hn::DFromV<WeightVector<W>> d;
  constexpr size_t kVectors = W::Vectors();
  const auto store = [&](WeightVector<W> v, size_t q) HWY_ATTR {
    hn::Store(v, d, reinterpret_cast<hn::TFromD<decltype(d)>*>(to + q * stride));
  };
  const auto read = W::Read(w);
  if constexpr (!W::kScaled || kOrder == Order::kGenerated) {
    HWY_UNROLL(16)
    for (size_t q = 0; q < kVectors; ++q) store(W::Weight(read, q), q);
  } else {
    const auto scale = WeightScale<W>(s);
    HWY_UNROLL(16)
    for (size_t q = 0; q < kVectors; ++q) store(ScaledWeight<W>(read, scale, q), q);
  }
}

// Steps of the rows into the tile; the last one may be unfinished.
template <class W, Order kOrder, size_t kRows>
HWY_NOINLINE void DecodeTile(const TileWork& t, const Panel& panel) {
  constexpr size_t kVectors = W::Vectors(), kStride = kRows * kVectorBytes;
  const size_t whole = std::min(panel.end, t.w.cols / W::kStep);
  for (size_t r = 0; r < kRows; ++r) {
    const uint8_t* weights = WeightRow(t.w, t.row + r) + panel.begin * W::kStepBytes;
    const uint8_t* scales = ScaleRow(t.w, t.row + r) + panel.begin * (W::kStep / kScaleBlock);
    uint8_t* to = t.tile + r * kVectorBytes;
    float* scales_to = t.scales + r * kVectorBytes / sizeof(float);
    const auto decode = [&](const uint8_t* w, const uint8_t* s) HWY_ATTR {
      DecodeStep<W, kOrder>(w, s, to, kStride);
      if constexpr (W::kScaled && kOrder == Order::kGenerated) {
        hn::Store(W::Scale(s), DF(), scales_to);
        scales_to += kStride / sizeof(float);
      }
      to += kVectors * kStride;
    };
    for (size_t step = panel.begin; step < whole; ++step) {
      decode(weights, scales);
      weights += W::kStepBytes;
      scales += W::kStep / kScaleBlock;
    }
    if (whole < panel.end) {
      Tail<W> tail;
      tail.Fill(weights, scales, t.w.cols % W::kStep);
      decode(tail.weights, tail.scales);
    }
  }
}

// Asks for part `part` of `parts` of the rows that come after these: spread over the arithmetic, or
// they would wait for memory all at once.
template <class W, size_t kRows>
HWY_INLINE void PrefetchNextRows(const TileWork& t, size_t part, size_t parts) {
  const size_t bytes = kRows * RowBytes(t.w.format, t.w.cols);
  const uint8_t* next = WeightRow(t.w, t.row + kRows);
  for (size_t i = part * bytes / parts; i < (part + 1) * bytes / parts; i += 64) {
    PrefetchToL2(next + i);
  }
}

// ---- arithmetic ---------------------------------------------------------------------------------

// A block of sums, or of products.
template <size_t kRows, size_t kTokens>
using BlockVectors = VF[kTokens][kRows];

// A vector of decoded weights, or of activations packed alike.
template <class W>
HWY_INLINE WeightVector<W> LoadDecoded(const uint8_t* at) {
  const hn::DFromV<WeightVector<W>> d;
  return hn::Load(d, reinterpret_cast<const hn::TFromD<decltype(d)>*>(at));
}

// Adds the products of one vector of each of the tile's rows.
template <class W, size_t kRows, size_t kTokens>
HWY_INLINE void AddVector(const uint8_t* tile, const WeightVector<W> (&activation)[kTokens],
                          BlockVectors<kRows, kTokens>& sum) {
  HWY_UNROLL(8)
  for (size_t r = 0; r < kRows; ++r) {
    const auto weight = LoadDecoded<W>(tile + r * kVectorBytes);
    HWY_UNROLL(8)
    for (size_t m = 0; m < kTokens; ++m) {
      sum[m][r] = AddProducts(weight, activation[m], sum[m][r]);
    }
  }
}

// Adds step `i` of the panel in the order of generated rows.
template <class W, size_t kRows, size_t kTokens>
HWY_INLINE void AddStep(const TileWork& t, const uint8_t* const (&x)[kTokens], size_t i,
                        BlockVectors<kRows, kTokens>& sum) {
  constexpr size_t kVectors = W::Vectors(), kLanes = HWY_MAX_LANES_D(DF);
  BlockVectors<kRows, kTokens> products;
  HWY_UNROLL(8)
  for (size_t m = 0; m < kTokens; ++m) {
    HWY_UNROLL(8)
    for (size_t r = 0; r < kRows; ++r) products[m][r] = hn::Zero(DF());
  }
  HWY_UNROLL(8)
  for (size_t q = 0; q < kVectors; ++q) {
    WeightVector<W> activation[kTokens];
    HWY_UNROLL(8)
    for (size_t m = 0; m < kTokens; ++m) {
      activation[m] = W::Activation(x[m] + i * W::kActivationBytes, q);
    }
    AddVector<W, kRows, kTokens>(t.tile + (i * kVectors + q) * kRows * kVectorBytes, activation,
                                 products);
  }
  HWY_UNROLL(8)
  for (size_t r = 0; r < kRows; ++r) {
    HWY_UNROLL(8)
    for (size_t m = 0; m < kTokens; ++m) {
      if constexpr (W::kScaled) {
        const auto scale = hn::Load(DF(), t.scales + (i * kRows + r) * kLanes);
        sum[m][r] = hn::MulAdd(products[m][r], scale, sum[m][r]);
      } else {
        sum[m][r] = hn::Add(sum[m][r], products[m][r]);
      }
    }
  }
}

// Adds the products of a panel to the sums of all rows of the tile and kTokens activation rows from
// x[first] on: [kTokens][kRows] vectors, which start at zero before the first panel and are added
// up and put into t.out after the last.
template <class W, Order kOrder, size_t kRows, size_t kTokens>
HWY_NOINLINE void AddBlock(const TileWork& t, const Panel& panel, size_t first) {
  constexpr size_t kLanes = HWY_MAX_LANES_D(DF), kVectors = W::Vectors();
  constexpr size_t kStepActivations =
      kOrder == Order::kPrompt ? kVectors * kVectorBytes : W::kActivationBytes;
  float* sums = t.sums + first * kRows * kLanes;
  BlockVectors<kRows, kTokens> sum;
  const uint8_t* x[kTokens];
  HWY_UNROLL(8)
  for (size_t m = 0; m < kTokens; ++m) {
    x[m] = t.x[first + m] + panel.begin * kStepActivations;
    HWY_UNROLL(8)
    for (size_t r = 0; r < kRows; ++r) {
      sum[m][r] = panel.first ? hn::Zero(DF()) : hn::Load(DF(), sums + (m * kRows + r) * kLanes);
    }
  }
  const size_t steps = panel.end - panel.begin;
  if constexpr (kOrder == Order::kPrompt) {
    for (size_t v = 0; v < steps * kVectors; ++v) {
      WeightVector<W> activation[kTokens];
      HWY_UNROLL(8)
      for (size_t m = 0; m < kTokens; ++m) activation[m] = LoadDecoded<W>(x[m] + v * kVectorBytes);
      AddVector<W, kRows, kTokens>(t.tile + v * kRows * kVectorBytes, activation, sum);
    }
  } else {
    for (size_t i = 0; i < steps; ++i) AddStep<W, kRows, kTokens>(t, x, i, sum);
  }
  HWY_UNROLL(8)
  for (size_t m = 0; m < kTokens; ++m) {
    if (panel.last) {
      const auto products =
          AddLanes(sum[m][0], sum[m][1 % kRows], sum[m][2 % kRows], sum[m][3 % kRows]);
      hn::StoreN(products, hn::FixedTag<float, 4>(), t.out + (first + m) * kOutRows, kRows);
    } else {
      HWY_UNROLL(8)
      for (size_t r = 0; r < kRows; ++r) {
        hn::Store(sum[m][r], DF(), sums + (m * kRows + r) * kLanes);
      }
    }
  }
}

// The same for all activation rows.
template <class W, Order kOrder, size_t kRows>
HWY_INLINE void AddPanel(const TileWork& t, const Panel& panel) {
  constexpr size_t kTokens = kBlockTokens<kOrder>;
  const size_t tokens = t.x.size(), parts = (tokens + kTokens - 1) / kTokens;
  size_t m = 0;
  for (; m + kTokens <= tokens; m += kTokens) {
    if (panel.first) PrefetchNextRows<W, kRows>(t, m / kTokens, parts);
    AddBlock<W, kOrder, kRows, kTokens>(t, panel, m);
  }
  if (kTokens > 3 && m + 3 <= tokens) AddBlock<W, kOrder, kRows, 3>(t, panel, m), m += 3;
  if (m + 2 <= tokens) AddBlock<W, kOrder, kRows, 2>(t, panel, m), m += 2;
  if (m < tokens) AddBlock<W, kOrder, kRows, 1>(t, panel, m);
}

// ---- products -----------------------------------------------------------------------------------

template <class W, Order kOrder, size_t kRows>
void MultiplyTile(const TileWork& t) {
  constexpr size_t kPanelSteps = kOrderPanelBytes<kOrder> / (W::Vectors() * kVectorBytes);
  const size_t steps = (t.w.cols + W::kStep - 1) / W::kStep;
  for (size_t begin = 0; begin < steps; begin += kPanelSteps) {
    const size_t end = std::min(begin + kPanelSteps, steps);
    const Panel panel{begin, end, begin == 0, end == steps};
    DecodeTile<W, kOrder, kRows>(t, panel);
    AddPanel<W, kOrder, kRows>(t, panel);
  }
}

// products [tokens][kOutRows], of which `rows` count, into y.
inline void PutRows(const float* products, size_t tokens, size_t rows, const MatMulOutput& y,
                    size_t token, size_t row) {
  for (size_t m = 0; m < tokens; ++m, products += kOutRows) {
    const size_t at = (token + m) * y.stride + row;
    ForVectors(DF(), rows, [&](size_t i, auto part) HWY_ATTR {
      const auto v = hn::Load(DF(), products + i);
      if (y.f32 != nullptr) {
        StorePart(v, DF(), y.f32 + at + i, part);
      } else {
        StoreBf16(v, DF(), y.bf16 + at + i, part);
      }
    });
  }
}

template <class W, Order kOrder>
void MultiplyTiles(const WeightMatrix& w, Range range, std::span<const uint8_t* const> x,
                   const MatMulOutput& y, uint8_t* scratch) {
  float* scales = reinterpret_cast<float*>(scratch + kTileBytes);
  float* sums = reinterpret_cast<float*>(scratch + kTileBytes + kScaleBytes);
  float* out = reinterpret_cast<float*>(scratch + kTileBytes + kScaleBytes + kSumBytes);
  for (size_t token = 0; token < x.size(); token += kChunkTokens) {
    const auto chunk = x.subspan(token, std::min(kChunkTokens, x.size() - token));
    for (size_t first = range.begin; first < range.end; first += kOutRows) {
      const size_t end = std::min(first + kOutRows, range.end);
      size_t row = first;
      for (; row + kBlockRows <= end; row += kBlockRows) {
        MultiplyTile<W, kOrder, kBlockRows>(
            {w, row, chunk, scratch, scales, sums, out + (row - first)});
      }
      for (; row < end; ++row) {
        MultiplyTile<W, kOrder, 1>({w, row, chunk, scratch, scales, sums, out + (row - first)});
      }
      PutRows(out, chunk.size(), end - first, y, token, first);
    }
  }
}

template <class W>
using PromptLayout = TileLayout<W>;

#else

// SVE vectors cannot lie in arrays: there all rows take the kernels of matmul_rows-inl.h.
enum class Order { kPrompt, kGenerated };

inline constexpr size_t kTileScratchBytes = 0;

template <class W, Order kOrder>
void MultiplyTiles(const WeightMatrix& w, Range range, std::span<const uint8_t* const> x,
                   const MatMulOutput& y, uint8_t*) {
  MultiplyRows<W>(w, range, x, y, nullptr);
}

template <class W>
using PromptLayout = RegisterLayout<W>;

#endif  // !HWY_HAVE_SCALABLE && !HWY_TARGET_IS_SVE

}  // namespace cedar::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // include guard
