#ifndef CEDAR_SIMD_TEAM_PROBES_H_
#define CEDAR_SIMD_TEAM_PROBES_H_

// What a whole team of threads can do at most right now: the probes of simd/probes.h, run by all of
// its threads at once and timed. Memory changes its speed by the minute and cores are lent to
// others, so a figure is worth something only as a share of a probe taken beside it.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "simd/isa.h"
#include "simd/probes.h"
#include "simd/workers.h"

namespace cedar::simd {

using Bytes = std::span<const uint8_t>;

class TeamProbes {
 public:
  // isa: kReference, which has no probes of its own, is measured by those of the best that this CPU
  // has. `workers` must outlive this.
  TeamProbes(Isa isa, const Workers& workers);

  // Bytes a second of reading all parts once, or as often as it takes to read kLeastRead. Each
  // thread reads one share of them in ascending order of `parts`.
  double ReadSpeed(std::span<const Bytes> parts) const;

  // Operations a second; a product and its addition are two. 0 where the ISA lacks the instruction.
  double Fp32Fmas() const;
  double Bf16Dots() const;
  double Int8Dots() const;
  // What products of the reference numerics can reach: the larger of the two.
  double ReferencePeak() const;

 private:
  static constexpr size_t kLeastRead = size_t{64} << 20;

  double Arithmetic(float (*probe)(size_t rounds), double operations) const;

  Probes probes_;
  const Workers& workers_;
};

}  // namespace cedar::simd

#endif  // CEDAR_SIMD_TEAM_PROBES_H_
