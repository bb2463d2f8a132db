#include "simd/isa.h"

#include <algorithm>

#include "simd/isa_target.h"
#include "simd/targets.h"

namespace cedar {

namespace {

struct IsaEntry {
  Isa isa;
  std::string_view name;
  int64_t targets;  // Highway's, any of which makes this ISA; best in the lowest bit
};

#if HWY_ARCH_X86
constexpr int64_t kAvx2 = HWY_AVX2, kAvx3Dl = HWY_AVX3_DL, kAvx3Zen4 = HWY_AVX3_ZEN4,
                  kAvx3Spr = HWY_AVX3_SPR, kNeon = 0, kSve = 0, kSve2 = 0;
#elif HWY_ARCH_ARM
constexpr int64_t kAvx2 = 0, kAvx3Dl = 0, kAvx3Zen4 = 0, kAvx3Spr = 0,
                  kNeon = HWY_NEON | HWY_NEON_WITHOUT_AES, kSve = HWY_SVE | HWY_SVE_256,
                  kSve2 = HWY_SVE2 | HWY_SVE2_128;
#else
#error "Cedar has kernels for x86-64 and aarch64 only."
#endif

constexpr IsaEntry kIsas[] = {
    {Isa::kReference, "reference", 0},
    {Isa::kAvx2, "avx2", kAvx2},
    {Isa::kAvx3Dl, "avx3_dl", kAvx3Dl},
    {Isa::kAvx3Zen4, "avx3_zen4", kAvx3Zen4},
    {Isa::kAvx3Spr, "avx3_spr", kAvx3Spr},
    {Isa::kNeon, "neon", kNeon},
    {Isa::kSve, "sve", kSve},
    {Isa::kSve2, "sve2", kSve2},
};

const IsaEntry& Entry(Isa isa) { return kIsas[static_cast<size_t>(isa)]; }

}  // namespace

std::string_view IsaName(Isa isa) { return Entry(isa).name; }

std::optional<Isa> ParseIsa(std::string_view name) {
  for (const IsaEntry& entry : kIsas) {
    if (entry.name == name) return entry.isa;
  }
  return std::nullopt;
}

const std::vector<Isa>& AllIsas() {
  static const std::vector<Isa> all = [] {
    std::vector<Isa> isas;
    for (const IsaEntry& entry : kIsas) isas.push_back(entry.isa);
    return isas;
  }();
  return all;
}

int64_t HighwayTarget(Isa isa) {
  const int64_t usable = Entry(isa).targets & hwy::SupportedTargets();
  return usable & -usable;
}

std::vector<Isa> AvailableIsas() {
  std::vector<Isa> isas;
  for (Isa isa : AllIsas()) {
    if (isa == Isa::kReference || HighwayTarget(isa) != 0) isas.push_back(isa);
  }
  std::reverse(isas.begin(), isas.end());  // the enum goes from worst to best
  return isas;
}

std::string CpuRefusal() { return CpuRefusal(hwy::SupportedTargets()); }

std::string CpuRefusal(int64_t targets) {
  for (const IsaEntry& entry : kIsas) {
    if (entry.targets & targets) return "";
  }
  return "this CPU has no AVX2, which Cedar needs (x86-64-v3: Intel since 2013, AMD since 2015)";
}

}  // namespace cedar
