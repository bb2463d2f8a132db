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

// scratch.x = rmsnorm(collapse(streams, segment.pre)).
void CollapseAndNorm(const Forward& f, const std::vector<float>& norm, const Step& step);

// streams = expand(scratch.y, streams, post, comb), and segment.pre = the `pre` of scratch.mix,
// which the next sublayer collapses with.
void Expand(const Forward& f, const Step& step);

}  // namespace cedar

#endif  // CEDAR_ENGINE_HYPER_CONNECTION_H_
