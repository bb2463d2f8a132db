#ifndef CEDAR_ENGINE_HYPER_CONNECTION_H_
#define CEDAR_ENGINE_HYPER_CONNECTION_H_

// Staggered hyper-connections around a sublayer (model.md, Block): the streams give the mixes, the
// previous sublayer's `pre` gives the input, `post` and `comb` take the output back.

#include <vector>

#include "engine/forward.h"
#include "engine/step.h"
#include "weights/model_weights.h"

namespace cedar {

// The streams of all rows -> scratch.mix.
void ComputeMixes(const Forward& f, const MixWeights& weights, const Step& step);

// x = rmsnorm(collapse(streams, segment.pre)), [step.rows][hidden].
void CollapseAndNorm(const Forward& f, const std::vector<float>& norm, const Step& step, Bf16* x);

// streams = expand(y, streams, post, comb), with y [step.rows][hidden] and the rest of scratch.mix;
// segment.pre = its `pre`, which the next sublayer collapses with.
void Expand(const Forward& f, const Step& step, const Bf16* y);

}  // namespace cedar

#endif  // CEDAR_ENGINE_HYPER_CONNECTION_H_
