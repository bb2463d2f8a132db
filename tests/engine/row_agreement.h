#ifndef CEDAR_TESTS_ENGINE_ROW_AGREEMENT_H_
#define CEDAR_TESTS_ENGINE_ROW_AGREEMENT_H_

// Counts how the bf16 outputs of a sublayer on fast kernels agree with the reference's.
//
// A sum in another order may round an activation to the neighbouring bf16 or FP8 code. Where a
// quantised code differs, the whole row moves by about one FP8 rounding error (2^-4 of one of many
// terms): such rows are at most 10 %, and each within 2 % relative rms. In all others at least
// 99.5 % of the outputs are equal, and the rest within one bf16 step.

#include <cstddef>
#include <span>
#include <string>

#include "simd/formats.h"

namespace cedar {

class RowAgreement {
 public:
  void Add(std::span<const Bf16> ours, std::span<const Bf16> truth, bool same_codes);
  void Check(const std::string& what) const;

 private:
  void AddMovedRow(std::span<const Bf16> ours, std::span<const Bf16> truth);

  size_t rows_ = 0;
  size_t moved_rows_ = 0;   // a code differs
  double worst_moved_ = 0;  // relative rms
  size_t outputs_ = 0;      // of the other rows
  size_t equal_outputs_ = 0;
  size_t far_outputs_ = 0;  // more than one step away
};

}  // namespace cedar

#endif  // CEDAR_TESTS_ENGINE_ROW_AGREEMENT_H_
