// The vectors of the matrix products, of at most 64 bytes. Included once for each Highway target,
// by kernel files only.

#if defined(CEDAR_SIMD_VECTORS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef CEDAR_SIMD_VECTORS_INL_H_
#undef CEDAR_SIMD_VECTORS_INL_H_
#else
#define CEDAR_SIMD_VECTORS_INL_H_
#endif

#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>

#undef CEDAR_BF16_DOTS
#if HWY_TARGET == HWY_AVX3_ZEN4
#define CEDAR_BF16_DOTS 1
#else
#define CEDAR_BF16_DOTS 0
#endif

// What depends on the number of lanes is a constant but for scalable vectors.
#undef CEDAR_FIXED_CONSTEXPR
#if HWY_HAVE_SCALABLE
#define CEDAR_FIXED_CONSTEXPR
#else
#define CEDAR_FIXED_CONSTEXPR constexpr
#endif

HWY_BEFORE_NAMESPACE();
namespace cedar::simd::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Lanes of each type.
using DF = hn::CappedTag<float, 16>;
using D32 = hn::RebindToUnsigned<DF>;
using D16 = hn::Repartition<uint16_t, DF>;
using D8 = hn::Repartition<uint8_t, DF>;
using DB = hn::Repartition<hwy::bfloat16_t, DF>;
using VF = hn::Vec<DF>;
using VB = hn::Vec<DB>;

HWY_INLINE CEDAR_FIXED_CONSTEXPR size_t FloatLanes() { return hn::Lanes(DF()); }
HWY_INLINE hn::Vec<D8> LoadBytes(const uint8_t* p) { return hn::LoadU(D8(), p); }

// Ask the caches for the line at p, which need not be there. On AMD the hints of the lower
// localities mean the L2 cache alike; on Intel the lowest may stop at the L3 cache.
HWY_INLINE void PrefetchToL1(const uint8_t* p) { __builtin_prefetch(p, /*rw=*/0, /*locality=*/3); }
HWY_INLINE void PrefetchToL2(const uint8_t* p) { __builtin_prefetch(p, /*rw=*/0, /*locality=*/2); }

// Keeps v in a register: g++ would rather load it again for each use, and then loads are what it
// waits for.
template <class V>
HWY_INLINE V Kept(V v) {
#if HWY_ARCH_X86
  asm("" : "+v"(v.raw));
#endif
  return v;
}

// sum + the products of w and x.
HWY_INLINE VF AddProducts(VF w, VF x, VF sum) { return hn::MulAdd(w, x, sum); }

// The bf16 at `p`, one to a 32-bit lane.
HWY_INLINE VF LoadBf16Lanes(const uint16_t* p) {
  const auto bits = hn::PromoteTo(D32(), hn::LoadU(hn::Rebind<uint16_t, DF>(), p));
  return hn::BitCast(DF(), hn::ShiftLeft<16>(bits));
}

#if !HWY_HAVE_SCALABLE && !HWY_TARGET_IS_SVE

// Adds the upper half of a vector to the lower one until four lanes are left.
template <size_t kLanes>
HWY_INLINE hn::Vec<hn::FixedTag<float, 4> > AddHalves(hn::Vec<hn::FixedTag<float, kLanes> > v) {
  if constexpr (kLanes == 4) {
    return v;
  } else {
    const hn::FixedTag<float, kLanes / 2> half;
    return AddHalves<kLanes / 2>(hn::Add(hn::LowerHalf(half, v), hn::UpperHalf(half, v)));
  }
}

// The sums of the lanes of four vectors at once, in the same order for each.
HWY_INLINE hn::Vec<hn::FixedTag<float, 4> > AddLanes(VF a, VF b, VF c, VF d) {
  const hn::Repartition<uint64_t, DF> pairs;
  const auto ab = hn::Add(hn::InterleaveLower(DF(), a, b), hn::InterleaveUpper(DF(), a, b));
  const auto cd = hn::Add(hn::InterleaveLower(DF(), c, d), hn::InterleaveUpper(DF(), c, d));
  const auto ab2 = hn::BitCast(pairs, ab), cd2 = hn::BitCast(pairs, cd);
  const auto abcd = hn::Add(hn::BitCast(DF(), hn::InterleaveLower(pairs, ab2, cd2)),
                            hn::BitCast(DF(), hn::InterleaveUpper(pairs, ab2, cd2)));
  return AddHalves<HWY_MAX_LANES_D(DF)>(abcd);
}

#endif

}  // namespace cedar::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // include guard
