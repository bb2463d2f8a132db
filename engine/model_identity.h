#ifndef CEDAR_ENGINE_MODEL_IDENTITY_H_
#define CEDAR_ENGINE_MODEL_IDENTITY_H_

#include <string_view>

#include "engine/page_key.h"
#include "simd/kernels.h"
#include "weights/model_files.h"
#include "weights/model_weights.h"

namespace cedar {

// A key of all that the content of global KV follows from, but the tokens: config, tokenizer, index
// of the shards, kernels, numerics, the version of the code, and the weights of all layers
// (weights/weight_walk.h). Of these all vectors count, and of every matrix but seven of eight
// routed experts a few bytes at its beginning, middle and end: whoever trains a model changes them
// all, and reading everything would take as long as a run.
PageKey MakeIdentity(const ModelFiles& files, const ModelWeights& weights,
                     const simd::Kernels& kernels, std::string_view numerics);

// A key of the model alone, whatever computes it, of what is in memory anyway: config, tokenizer,
// index, and norms, sinks and biases of all layers. No matrix is read. Answer files hold it, so it
// stays as it is.
PageKey MakeContentKey(const ModelFiles& files, const ModelWeights& weights);

}  // namespace cedar

#endif  // CEDAR_ENGINE_MODEL_IDENTITY_H_
