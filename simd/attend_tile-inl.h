// How attention keeps decoded rows and queries in scratch, and the operations of its two inner
// products: scores of rows for many heads, and sums of rows weighed by the scores' exponentials.
// Included once for each Highway target, by attend.cc only.
//
// Heads come in groups, one to a lane of two vectors (GroupHeads() of them), so that everything
// about one head happens in its own lane: no result depends on which heads are computed together.
// Products are made a 32-bit word at a time, which is one channel or two. Each of the structs below
// has:
//
//   T                     element of a decoded row
//   Store(v0, v1, row)    keeps two vectors of values
//   PackQueries()         turns the queries of four heads: word by word, heads side by side
//   LoadQueries(q)        a word of each head of a vector
//   Spread(row)           a word of a row, for all heads of a vector
//   AddProducts()         each head's sum + product of its word with the row's
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

#include "simd/bf16-inl.h"
#include "simd/kv_rows-inl.h"
#include "simd/transpose-inl.h"

HWY_BEFORE_NAMESPACE();
namespace cedar::simd::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

HWY_INLINE size_t GroupHeads() { return 2 * hn::Lanes(RowTag()); }

struct F32Tile {
  using T = float;
  static constexpr size_t kWordChannels = 1;

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

  static HWY_INLINE RowVector LoadQueries(const T* q) { return hn::Load(RowTag(), q); }
  static HWY_INLINE RowVector Spread(const T* row) { return hn::Set(RowTag(), *row); }
  static HWY_INLINE RowVector AddProducts(RowVector row, RowVector queries, RowVector sum) {
    return hn::MulAdd(row, queries, sum);
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
  static constexpr size_t kWordChannels = 2;
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

  static HWY_INLINE hn::Vec<Pairs> LoadQueries(const T* q) { return hn::BitCast(Pairs(), Load(q)); }
  static HWY_INLINE hn::Vec<Pairs> Spread(const T* row) {
    uint32_t pair;
    hwy::CopyBytes<sizeof(pair)>(row, &pair);
    return hn::BitCast(Pairs(), hn::Set(Words(), pair));
  }
  static HWY_INLINE RowVector AddProducts(hn::Vec<Pairs> row, hn::Vec<Pairs> queries,
                                          RowVector sum) {
    auto unused = hn::Zero(RowTag());
    return hn::ReorderWidenMulAccumulate(RowTag(), row, queries, sum, unused);
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
