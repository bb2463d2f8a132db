#ifndef CEDAR_ENGINE_MOE_H_
#define CEDAR_ENGINE_MOE_H_

// The mixture of experts (model.md, MoE): each row goes to the experts that the router chose for it
// and to the shared one. Rows of a step that chose the same expert share one read of its weights.

#include <cstddef>

#include "engine/forward.h"
#include "engine/step.h"

namespace cedar {

// y = experts of x, both [step.rows][hidden].
void MixtureOfExperts(const Forward& f, size_t layer, const Step& step, const Bf16* x, Bf16* y);

}  // namespace cedar

#endif  // CEDAR_ENGINE_MOE_H_
