#include "simd/probes.h"

#include "simd/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/probes.cc"
#include <hwy/foreach_target.h>
// After foreach_target.h.
#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include "simd/byte_dots-inl.h"
#include "simd/error.h"
#include "simd/isa_target.h"

HWY_BEFORE_NAMESPACE();
namespace cedar::simd::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

uint64_t ProbeRead(const uint8_t* data, size_t bytes) {
  const hn::CappedTag<uint8_t, 64> d;
  const hn::Repartition<uint64_t, decltype(d)> d64;
  auto a = hn::Zero(d), b = a, c = a, e = a;
  for (size_t i = 0; i + 256 <= bytes; i += 256) {
    for (size_t j = 0; j < 256; j += 4 * hn::Lanes(d)) {
      const uint8_t* p = data + i + j;
      a = hn::Xor(a, hn::LoadU(d, p));
      b = hn::Xor(b, hn::LoadU(d, p + hn::Lanes(d)));
      c = hn::Xor(c, hn::LoadU(d, p + 2 * hn::Lanes(d)));
      e = hn::Xor(e, hn::LoadU(d, p + 3 * hn::Lanes(d)));
      for (size_t line = 0; line < 4 * hn::Lanes(d); line += 64) hwy::Prefetch(p + 4096 + line);
    }
  }
  return hn::ReduceSum(d64, hn::BitCast(d64, hn::Xor(hn::Xor(a, b), hn::Xor(c, e))));
}

// Twelve sums are enough to hide the latency of any of these CPUs.
template <class Sum, class Add>
HWY_INLINE float TwelveSums(size_t rounds, Sum zero, const Add& add) {
  // All different, or the compiler takes them for one.
  const hn::DFromV<Sum> d;
  const auto next = [&](Sum sum) HWY_ATTR { return hn::Add(sum, hn::Set(d, 1)); };
  auto s0 = zero, s1 = next(s0), s2 = next(s1), s3 = next(s2), s4 = next(s3), s5 = next(s4);
  auto s6 = next(s5), s7 = next(s6), s8 = next(s7), s9 = next(s8), s10 = next(s9), s11 = next(s10);
  for (size_t i = 0; i < rounds; ++i) {
    s0 = add(s0), s1 = add(s1), s2 = add(s2), s3 = add(s3), s4 = add(s4), s5 = add(s5);
    s6 = add(s6), s7 = add(s7), s8 = add(s8), s9 = add(s9), s10 = add(s10), s11 = add(s11);
  }
  const auto low = hn::Add(hn::Add(hn::Add(s0, s1), hn::Add(s2, s3)), hn::Add(s4, s5));
  const auto high = hn::Add(hn::Add(hn::Add(s6, s7), hn::Add(s8, s9)), hn::Add(s10, s11));
  return static_cast<float>(hn::ReduceSum(d, hn::Add(low, high)));
}

float ProbeFmas(size_t rounds) {
  const hn::CappedTag<float, 16> d;
  auto x = hn::Set(d, 1e-9f);
  return TwelveSums(rounds, hn::Zero(d), [&](auto sum) HWY_ATTR { return hn::MulAdd(x, x, sum); });
}

double FmaFlops() { return 12.0 * 2 * hn::Lanes(hn::CappedTag<float, 16>()); }

float ProbeDots(size_t rounds) {
  const hn::CappedTag<float, 16> d;
  const hn::Repartition<hwy::bfloat16_t, decltype(d)> d16;
  const auto x = hn::BitCast(d16, hn::Set(hn::RebindToUnsigned<decltype(d)>(), 0x3E803E80));
  auto unused = hn::Zero(d);
  return TwelveSums(rounds, hn::Zero(d), [&](auto sum) HWY_ATTR {
    return hn::ReorderWidenMulAccumulate(d, x, x, sum, unused);
  });
}

#if HWY_TARGET == HWY_AVX2

// Four sums at once by the sequence of Dots; each starts with what it was.
float ProbeBytes(size_t rounds) {
  const DI32 d;
  const auto weight = hn::Set(DWeight(), 1);
  auto x = hn::Set(DI8(), 1);
  hn::Vec<DI32> sum[1][4] = {{hn::Set(d, 1), hn::Set(d, 2), hn::Set(d, 3), hn::Set(d, 4)}};
  for (size_t i = 0; i < rounds; ++i) {
    // Activations are not known to be the same, or the compiler would multiply once.
    Dots<1, 4>([&](size_t, size_t) HWY_ATTR { return weight; },
               [&](size_t, size_t) HWY_ATTR { return x = Kept(x); },
               [&](size_t m) HWY_ATTR { return hn::BitCast(DStart(), sum[0][m]); }, sum);
  }
  return static_cast<float>(
      hn::ReduceSum(d, hn::Add(hn::Add(sum[0][0], sum[0][1]), hn::Add(sum[0][2], sum[0][3]))));
}

double ByteOps() { return 4.0 * kDotVectors * 2 * hn::Lanes(D8()); }

#else

float ProbeBytes(size_t rounds) {
  const auto weight = hn::Set(DWeight(), 1);
  const auto x = hn::Set(DI8(), 1);
  return TwelveSums(rounds, hn::Zero(DI32()), [&](auto sum) HWY_ATTR {
    return hn::SumOfMulQuadAccumulate(DI32(), weight, x, sum);
  });
}

double ByteOps() { return 12.0 * 2 * hn::Lanes(D8()); }

#endif

double DotFlops() { return HWY_NATIVE_DOT_BF16 ? 2 * FmaFlops() : 0; }

}  // namespace cedar::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace cedar::simd {

HWY_EXPORT(ProbeRead);
HWY_EXPORT(ProbeFmas);
HWY_EXPORT(FmaFlops);
HWY_EXPORT(ProbeDots);
HWY_EXPORT(DotFlops);
HWY_EXPORT(ProbeBytes);
HWY_EXPORT(ByteOps);

Probes ProbesFor(Isa isa) {
  const int64_t target = HighwayTarget(isa);
  CEDAR_CHECK(target != 0);
  const double dot_flops = CEDAR_KERNEL(DotFlops, target)();
  return {.read = CEDAR_KERNEL(ProbeRead, target),
          .bf16_dots = dot_flops == 0 ? nullptr : CEDAR_KERNEL(ProbeDots, target),
          .fp32_fmas = CEDAR_KERNEL(ProbeFmas, target),
          .int8_dots = CEDAR_KERNEL(ProbeBytes, target),
          .bf16_dot_flops = dot_flops,
          .fp32_fma_flops = CEDAR_KERNEL(FmaFlops, target)(),
          .int8_dot_ops = CEDAR_KERNEL(ByteOps, target)()};
}

}  // namespace cedar::simd

#endif  // HWY_ONCE
