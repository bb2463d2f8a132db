#ifndef CEDAR_TESTS_ENGINE_SELECTION_MARGIN_H_
#define CEDAR_TESTS_ENGINE_SELECTION_MARGIN_H_

// How clear a choice of the reference was: the distance between the last that it kept and the first
// that it dropped, relative to the larger of the two. Where the margin is above kDecisive, fast
// kernels must choose the same. Infinity when nothing was dropped.

#include <cstddef>

#include "tests/engine/golden_step.h"

namespace cedar {

inline constexpr double kDecisive = 1e-5;

// Of the compressed rows and, at the candidate source, of the blocks that `row` of the step chose
// when Select() last ran, on `layer`.
double SelectionMargin(GoldenStep& truth, size_t layer, size_t row);
double CandidateMargin(GoldenStep& truth, size_t layer, size_t row);

// Of the experts that `row` chose when MixtureOfExperts() last ran, on `layer`.
double ExpertMargin(GoldenStep& truth, size_t layer, size_t row);

}  // namespace cedar

#endif  // CEDAR_TESTS_ENGINE_SELECTION_MARGIN_H_
