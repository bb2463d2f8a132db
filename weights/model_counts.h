#ifndef CEDAR_WEIGHTS_MODEL_COUNTS_H_
#define CEDAR_WEIGHTS_MODEL_COUNTS_H_

// How big a model is and what one token of it costs (model.md, Cost of one token).

#include <cstdint>

#include "weights/config.h"
#include "weights/layer_plan.h"
#include "weights/model_weights.h"

namespace cedar {

struct WeightSize {
  uint64_t parameters = 0;
  uint64_t bytes = 0;  // as stored
};

// The weights of a layer, by what decides whether a token needs them. Without the Engram table, of
// which a token reads a few rows.
struct LayerSizes {
  WeightSize common;     // every token does: all but the two below
  WeightSize kv_source;  // those whose compressed rows and keys it makes; none at other layers
  WeightSize expert;     // one of the routed experts, which are all of one size
};
LayerSizes SizesOf(const LayerWeights& layer);

// The final norm and the head: those whose logits are wanted.
WeightSize HeadSize(const ModelWeights& weights);

struct ModelCounts {
  struct Parameters {
    uint64_t total = 0;           // [552 G] without the Engram tables
    uint64_t engram = 0;          // [197 G] the Engram tables
    uint64_t active_prefill = 0;  // [8 G] read for a prompt token: the encoder, and what the first
                                  // decoder layer needs to make compressed rows and index keys
    uint64_t active_decode = 0;   // [16 G] read for a generated token, the head included
  };
  struct Bytes {
    uint64_t weights = 0;               // as stored, without the Engram tables
    uint64_t engram = 0;                // the Engram tables
    uint64_t decode_token = 0;          // [13.0 GB] of weights, read for a generated token
    double kv_per_token = 0;            // [890] compressed rows and index keys
    uint64_t windows_per_sequence = 0;  // [2.7 MB] window rows of all layers
  };
  Parameters parameters;
  Bytes bytes;
};

// Of weights as they are stored.
ModelCounts CountModel(const ModelWeights& weights, const ModelConfig& config,
                       const LayerPlan& plan);

// From the config alone, for weights that are stored as in the release.
ModelCounts CountModel(const ModelConfig& config, const LayerPlan& plan);

}  // namespace cedar

#endif  // CEDAR_WEIGHTS_MODEL_COUNTS_H_
