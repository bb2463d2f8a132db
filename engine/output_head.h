#ifndef CEDAR_ENGINE_OUTPUT_HEAD_H_
#define CEDAR_ENGINE_OUTPUT_HEAD_H_

// Streams after the last block -> logits (model.md, Shape): collapse with the last `pre`, norm,
// head.

#include <cstddef>

#include "engine/forward.h"
#include "engine/step.h"

namespace cedar {

// Logits of `count` (at most kLogitRows) tokens of a segment from its row `first` on, into
// scratch.logits [count][vocab].
void ComputeLogits(const Forward& f, const Segment& segment, size_t first, size_t count);

}  // namespace cedar

#endif  // CEDAR_ENGINE_OUTPUT_HEAD_H_
