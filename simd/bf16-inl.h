// Rows of bf16 as vectors of fp32 or fp64, and loops over rows of any length. Included once for
// each Highway target, by kernel files only.

#if defined(CEDAR_SIMD_BF16_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef CEDAR_SIMD_BF16_INL_H_
#undef CEDAR_SIMD_BF16_INL_H_
#else
#define CEDAR_SIMD_BF16_INL_H_
#endif

#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>

#include "simd/formats.h"

HWY_BEFORE_NAMESPACE();
namespace cedar::simd::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// ---- parts of a row
// ------------------------------------------------------------------------------

// Which lanes of a vector lie in the row: all of them, or the first `count`, which is less. Loads
// fill the other lanes with zeros and stores leave them out; all between is the same, so an
// element's result does not depend on where the row ends.
struct Whole {};
struct Part {
  size_t count;
};

// Calls body(i, part) for each vector of `d` that covers [0, n), the first at i = 0; the last one's
// part may be a Part. The body is a generic lambda with HWY_ATTR.
template <class D, class Body>
HWY_INLINE void ForVectors(D d, size_t n, const Body& body) {
  const size_t lanes = hn::Lanes(d);
  size_t i = 0;
  for (; i + lanes <= n; i += lanes) body(i, Whole());
  if (i < n) body(i, Part{n - i});
}

template <class D>
HWY_INLINE hn::Vec<D> LoadPart(D d, const hn::TFromD<D>* p, Whole) {
  return hn::LoadU(d, p);
}
template <class D>
HWY_INLINE hn::Vec<D> LoadPart(D d, const hn::TFromD<D>* p, Part part) {
  return hn::LoadN(d, p, part.count);
}

template <class D>
HWY_INLINE void StorePart(hn::Vec<D> v, D d, hn::TFromD<D>* p, Whole) {
  hn::StoreU(v, d, p);
}
template <class D>
HWY_INLINE void StorePart(hn::Vec<D> v, D d, hn::TFromD<D>* p, Part part) {
  hn::StoreN(v, d, p, part.count);
}

// ---- bf16
// ----------------------------------------------------------------------------------------
//
// By integer arithmetic on every target: the bf16 instructions of x86 flush subnormals.

// Vectors of `d` (fp32 or fp64) from fp32.
template <class D, class PartOfRow, HWY_IF_F32_D(D)>
HWY_INLINE hn::Vec<D> LoadFloats(D d, const float* p, PartOfRow part) {
  return LoadPart(d, p, part);
}
template <class D, class PartOfRow, HWY_IF_F64_D(D)>
HWY_INLINE hn::Vec<D> LoadFloats(D d, const float* p, PartOfRow part) {
  return hn::PromoteTo(d, LoadPart(hn::Rebind<float, D>(), p, part));
}

// Vectors of `d` (fp32 or fp64) from bf16. Exact.
template <class D, class PartOfRow, HWY_IF_F32_D(D)>
HWY_INLINE hn::Vec<D> LoadBf16(D d, const Bf16* p, PartOfRow part) {
  const hn::RebindToUnsigned<D> du;
  const auto bits = LoadPart(hn::Rebind<uint16_t, D>(), &p->bits, part);
  return hn::BitCast(d, hn::ShiftLeft<16>(hn::PromoteTo(du, bits)));
}
template <class D, class PartOfRow, HWY_IF_F64_D(D)>
HWY_INLINE hn::Vec<D> LoadBf16(D d, const Bf16* p, PartOfRow part) {
  return hn::PromoteTo(d, LoadBf16(hn::Rebind<float, D>(), p, part));
}

// The bits of fp32 v, rounded to nearest even at bit 16: the upper half is the bf16, the lower half
// is rubbish. v is not NaN.
template <class D, HWY_IF_F32_D(D)>
HWY_INLINE hn::VFromD<hn::RebindToUnsigned<D>> RoundUpperHalf(D, hn::Vec<D> v) {
  const hn::RebindToUnsigned<D> du;
  const auto bits = hn::BitCast(du, v);
  const auto odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(du, 1));
  return hn::Add(bits, hn::Add(odd, hn::Set(du, 0x7FFF)));
}

// fp64 is rounded to fp32 first, as the oracle does.
template <class D, class PartOfRow, HWY_IF_F32_D(D)>
HWY_INLINE void StoreBf16(hn::Vec<D> v, D d, Bf16* p, PartOfRow part) {
  const hn::Rebind<uint16_t, D> d16;
  const auto bits = hn::TruncateTo(d16, hn::ShiftRight<16>(RoundUpperHalf(d, v)));
  StorePart(bits, d16, &p->bits, part);
}
template <class D, class PartOfRow, HWY_IF_F64_D(D)>
HWY_INLINE void StoreBf16(hn::Vec<D> v, D, Bf16* p, PartOfRow part) {
  const hn::Rebind<float, D> d32;
  StoreBf16(hn::DemoteTo(d32, v), d32, p, part);
}

// ---- sums
// ----------------------------------------------------------------------------------------

// sum of x[i]^2 in double: the squares are exact, so nothing overflows, underflows or depends
// noticeably on the order, which is fixed by n and the target.
inline double SumOfSquares(const Bf16* x, size_t n) {
  const hn::ScalableTag<double> d;
  const size_t lanes = hn::Lanes(d);
  auto sum0 = hn::Zero(d), sum1 = hn::Zero(d), sum2 = hn::Zero(d), sum3 = hn::Zero(d);
  size_t i = 0;
  for (; i + 4 * lanes <= n; i += 4 * lanes) {
    const auto x0 = LoadBf16(d, x + i, Whole()), x1 = LoadBf16(d, x + i + lanes, Whole());
    const auto x2 = LoadBf16(d, x + i + 2 * lanes, Whole());
    const auto x3 = LoadBf16(d, x + i + 3 * lanes, Whole());
    sum0 = hn::MulAdd(x0, x0, sum0), sum1 = hn::MulAdd(x1, x1, sum1);
    sum2 = hn::MulAdd(x2, x2, sum2), sum3 = hn::MulAdd(x3, x3, sum3);
  }
  ForVectors(d, n - i, [&](size_t k, auto part) HWY_ATTR {
    const auto v = LoadBf16(d, x + i + k, part);
    sum0 = hn::MulAdd(v, v, sum0);
  });
  return hn::ReduceSum(d, hn::Add(hn::Add(sum0, sum1), hn::Add(sum2, sum3)));
}

}  // namespace cedar::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // include guard
