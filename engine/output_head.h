#ifndef CEDAR_ENGINE_OUTPUT_HEAD_H_
#define CEDAR_ENGINE_OUTPUT_HEAD_H_

// Streams after the last block -> logits (model.md, Shape): collapse with the last `pre`, norm,
// head.

#include <span>

#include "engine/forward.h"
#include "engine/step.h"

namespace cedar {

// Logits of at most kLogitRows rows, those of kind kPrompt first, into scratch.logits
// [rows][vocab].
void ComputeLogits(const Forward& f, std::span<const RowRef> rows);

}  // namespace cedar

#endif  // CEDAR_ENGINE_OUTPUT_HEAD_H_
