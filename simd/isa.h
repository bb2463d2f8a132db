#ifndef CEDAR_SIMD_ISA_H_
#define CEDAR_SIMD_ISA_H_

// The instruction sets that Cedar has kernels for, and which of them this CPU can run.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cedar {

enum class Isa {
  kReference,  // plain scalar code in double precision, the truth for all others
  kAvx2,
  kAvx3Dl,    // AVX-512 with VNNI (Ice Lake)
  kAvx3Zen4,  // AVX-512 with bf16 dots, AMD
  kAvx3Spr,   // AVX-512 with bf16 dots and FP16, Intel
  kNeon,
  kSve,
  kSve2,
};

// "reference", "avx2", "avx3_dl", "avx3_zen4", "avx3_spr", "neon", "sve", "sve2".
std::string_view IsaName(Isa isa);
std::optional<Isa> ParseIsa(std::string_view name);

// All of them, in the order of the enum.
const std::vector<Isa>& AllIsas();

// What this CPU has, best first; kReference is always the last. On an x86 CPU below AVX2 it is the
// only one, and the program refuses to start (CpuRefusal).
std::vector<Isa> AvailableIsas();

// Why Cedar cannot run here: no fast ISA, that is an x86 CPU below AVX2. Empty if it can. `main`
// asks before anything else.
std::string CpuRefusal();
// The same for a CPU that has these of Highway's targets.
std::string CpuRefusal(int64_t targets);

}  // namespace cedar

#endif  // CEDAR_SIMD_ISA_H_
