#ifndef CEDAR_ENGINE_ENGRAM_H_
#define CEDAR_ENGINE_ENGRAM_H_

// Engram (model.md, MoE, engram): hashed n-grams of the last tokens pick rows of a huge table,
// whose projection is gated into every stream. The tables stay where they lie; their rows are asked
// of the disk ahead of their use (engine/engram_fetch.h).

#include <cstddef>

#include "engine/forward.h"
#include "engine/step.h"

namespace cedar {

// Finds the table rows of all rows of the step, for all engram layers, and starts to fetch those
// that are absent.
// REQUIRES: the sequences' histories reach to the rows' own tokens.
void LookUpEngrams(const Forward& f, const Step& step);

// Adds the gated value to the streams. REQUIRES: LookUpEngrams() for the same step.
void AddEngram(const Forward& f, size_t layer, const Step& step);

}  // namespace cedar

#endif  // CEDAR_ENGINE_ENGRAM_H_
