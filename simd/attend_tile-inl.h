// The two inner products of attention on decoded rows: scores of rows for many heads, and sums of
// rows weighed by their exponentials. Included once for each Highway target, by attend.cc only.
//
// Heads come in groups, one to a lane of two vectors (GroupHeads() of them), so that everything
// about one head happens in its own lane: no result depends on which heads are computed together.
//
// Each of the two structs below fixes how rows are kept in scratch:
//
//   T                     element of a decoded row
//   Store(c, v0, v1, row) keeps two vectors of values, the first of channel c
//   PackQueries()         turns the queries of a group so that Scores() reads them in order
//   Scores()              products of 4 rows with a group of queries
//   First(), Second()     two vectors of values of a row, for weighed sums
//   StoreSums()           two vectors of such sums to bf16
//
// Zen 4 and 5 do twice as many products per cycle by bf16 dots as by fp32 FMA, and decoded rows are
// exact in bf16 (a UE8M0 scale below 2^-117 apart, where the dots flush what is subnormal). On
// Intel bf16 dots run at half the speed of fp32 FMA.

#if defined(CEDAR_SIMD_ATTEND_TILE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef CEDAR_SIMD_ATTEND_TILE_INL_H_
#undef CEDAR_SIMD_ATTEND_TILE_INL_H_
#else
#define CEDAR_SIMD_ATTEND_TILE_INL_H_
#endif

#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "simd/bf16-inl.h"
#include "simd/kv_rows-inl.h"
#include "simd/transpose-inl.h"

HWY_BEFORE_NAMESPACE();
namespace cedar::simd::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

HWY_INLINE size_t GroupHeads() { return 2 * hn::Lanes(RowTag()); }

// Writes the 8 sums of Scores(): row r at out + r * GroupHeads().
template <class V>
HWY_INLINE void StoreScores(V a0, V a1, V b0, V b1, V c0, V c1, V d0, V d1, float scale,
                            float* HWY_RESTRICT out) {
  const RowTag d;
  const size_t lanes = hn::Lanes(d);
  const auto s = hn::Set(d, scale);
  hn::Store(hn::Mul(a0, s), d, out);
  hn::Store(hn::Mul(a1, s), d, out + lanes);
  hn::Store(hn::Mul(b0, s), d, out + 2 * lanes);
  hn::Store(hn::Mul(b1, s), d, out + 3 * lanes);
  hn::Store(hn::Mul(c0, s), d, out + 4 * lanes);
  hn::Store(hn::Mul(c1, s), d, out + 5 * lanes);
  hn::Store(hn::Mul(d0, s), d, out + 6 * lanes);
  hn::Store(hn::Mul(d1, s), d, out + 7 * lanes);
}

struct F32Tile {
  using T = float;

  static HWY_INLINE void Store(RowVector v0, RowVector v1, T* row) {
    const RowTag d;
    hn::Store(v0, d, row);
    hn::Store(v1, d, row + hn::Lanes(d));
  }

  // Four heads: word c of head h goes to out[c * GroupHeads() + h].
  static HWY_INLINE void PackQueries(const Bf16* q0, const Bf16* q1, const Bf16* q2, const Bf16* q3,
                                     size_t dim, uint32_t* out) {
    const hn::FixedTag<uint32_t, 4> d;
    const auto load = [d](const Bf16* q) HWY_ATTR {
      return hn::BitCast(d, LoadBf16(hn::FixedTag<float, 4>(), q, Whole()));
    };
    for (size_t c = 0; c < dim; c += 4) {
      StoreTransposed4x4(load(q0 + c), load(q1 + c), load(q2 + c), load(q3 + c),
                         out + c * GroupHeads(), GroupHeads());
    }
  }

  static HWY_INLINE void Scores(const T* r0, const T* r1, const T* r2, const T* r3, const T* q,
                                size_t dim, float scale, float* HWY_RESTRICT out) {
    const RowTag d;
    const size_t lanes = hn::Lanes(d);
    auto a0 = hn::Zero(d), a1 = hn::Zero(d), b0 = hn::Zero(d), b1 = hn::Zero(d);
    auto c0 = hn::Zero(d), c1 = hn::Zero(d), d0 = hn::Zero(d), d1 = hn::Zero(d);
    for (size_t c = 0; c < dim; ++c, q += 2 * lanes) {
      const auto q0 = hn::Load(d, q), q1 = hn::Load(d, q + lanes);
      const auto a = hn::Set(d, r0[c]), b = hn::Set(d, r1[c]);
      const auto e = hn::Set(d, r2[c]), f = hn::Set(d, r3[c]);
      a0 = hn::MulAdd(a, q0, a0), a1 = hn::MulAdd(a, q1, a1);
      b0 = hn::MulAdd(b, q0, b0), b1 = hn::MulAdd(b, q1, b1);
      c0 = hn::MulAdd(e, q0, c0), c1 = hn::MulAdd(e, q1, c1);
      d0 = hn::MulAdd(f, q0, d0), d1 = hn::MulAdd(f, q1, d1);
    }
    StoreScores(a0, a1, b0, b1, c0, c1, d0, d1, scale, out);
  }

  // The values of two vectors of channels at `row`.
  static HWY_INLINE RowVector First(const T* row) { return hn::Load(RowTag(), row); }
  static HWY_INLINE RowVector Second(const T* row) {
    return hn::Load(RowTag(), row + hn::Lanes(RowTag()));
  }
  static HWY_INLINE void StoreSums(RowVector first, RowVector second, Bf16* out) {
    StoreBf16(first, RowTag(), out, Whole());
    StoreBf16(second, RowTag(), out + hn::Lanes(RowTag()), Whole());
  }
};

#if HWY_TARGET == HWY_AVX3_ZEN4

// Rows are bf16 in their own order; as 32-bit words, the even channels are the lower halves.
struct Bf16Tile {
  using T = uint16_t;
  using Words = hn::RebindToUnsigned<RowTag>;
  using Pairs = hn::Repartition<hwy::bfloat16_t, RowTag>;

  static HWY_INLINE void Store(RowVector v0, RowVector v1, T* row) {
    const hn::Repartition<uint16_t, RowTag> d;
    // Exact: the upper halves of two vectors of fp32.
    const auto upper = hn::ConcatOdd(d, hn::BitCast(d, v1), hn::BitCast(d, v0));
    hn::Store(upper, d, row);
  }

  static HWY_INLINE void PackQueries(const Bf16* q0, const Bf16* q1, const Bf16* q2, const Bf16* q3,
                                     size_t dim, uint32_t* out) {
    const hn::FixedTag<uint32_t, 4> d;
    const hn::FixedTag<uint16_t, 8> d16;
    const auto load = [=](const Bf16* q)
                          HWY_ATTR { return hn::BitCast(d, hn::LoadU(d16, &q->bits)); };
    for (size_t c = 0; c < dim; c += 8) {
      StoreTransposed4x4(load(q0 + c), load(q1 + c), load(q2 + c), load(q3 + c),
                         out + c / 2 * GroupHeads(), GroupHeads());
    }
  }

  static HWY_INLINE RowVector Dot(hn::Vec<Pairs> a, hn::Vec<Pairs> b, RowVector sum) {
    auto unused = hn::Zero(RowTag());
    return hn::ReorderWidenMulAccumulate(RowTag(), a, b, sum, unused);
  }
  static HWY_INLINE hn::Vec<Pairs> Spread(const T* row, size_t c) {
    uint32_t pair;
    hwy::CopyBytes<sizeof(pair)>(row + c, &pair);
    return hn::BitCast(Pairs(), hn::Set(Words(), pair));
  }

  static HWY_INLINE void Scores(const T* r0, const T* r1, const T* r2, const T* r3, const T* q,
                                size_t dim, float scale, float* HWY_RESTRICT out) {
    const RowTag d;
    const hn::Repartition<uint16_t, RowTag> d16;
    auto a0 = hn::Zero(d), a1 = hn::Zero(d), b0 = hn::Zero(d), b1 = hn::Zero(d);
    auto c0 = hn::Zero(d), c1 = hn::Zero(d), d0 = hn::Zero(d), d1 = hn::Zero(d);
    for (size_t c = 0; c < dim; c += 2, q += 2 * hn::Lanes(d16)) {
      const auto q0 = hn::BitCast(Pairs(), hn::Load(d16, q));
      const auto q1 = hn::BitCast(Pairs(), hn::Load(d16, q + hn::Lanes(d16)));
      const auto a = Spread(r0, c), b = Spread(r1, c), e = Spread(r2, c), f = Spread(r3, c);
      a0 = Dot(a, q0, a0), a1 = Dot(a, q1, a1);
      b0 = Dot(b, q0, b0), b1 = Dot(b, q1, b1);
      c0 = Dot(e, q0, c0), c1 = Dot(e, q1, c1);
      d0 = Dot(f, q0, d0), d1 = Dot(f, q1, d1);
    }
    StoreScores(a0, a1, b0, b1, c0, c1, d0, d1, scale, out);
  }

  static HWY_INLINE hn::Vec<Words> Load(const T* row) {
    return hn::BitCast(Words(), hn::Load(hn::Repartition<uint16_t, RowTag>(), row));
  }
  static HWY_INLINE RowVector First(const T* row) {  // the even channels
    return hn::BitCast(RowTag(), hn::ShiftLeft<16>(Load(row)));
  }
  static HWY_INLINE RowVector Second(const T* row) {  // the odd ones
    return hn::BitCast(RowTag(), hn::And(Load(row), hn::Set(Words(), 0xFFFF0000u)));
  }
  static HWY_INLINE void StoreSums(RowVector even, RowVector odd, Bf16* out) {
    const hn::Repartition<uint16_t, RowTag> d;
    const auto low = hn::ShiftRight<16>(RoundUpperHalf(RowTag(), even));
    const auto high = hn::And(RoundUpperHalf(RowTag(), odd), hn::Set(Words(), 0xFFFF0000u));
    hn::StoreU(hn::BitCast(d, hn::Or(low, high)), d, &out->bits);
  }
};
using Tile = Bf16Tile;

#else
using Tile = F32Tile;
#endif

}  // namespace cedar::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // include guard
