#ifndef CEDAR_WEIGHTS_WEIGHT_SAMPLE_H_
#define CEDAR_WEIGHTS_WEIGHT_SAMPLE_H_

// A part of a model's weights to measure the speed of memory with: the very pages that a forward
// pass reads, since how a file lies in memory decides how fast it can be read.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "weights/model_weights.h"

namespace cedar {

// Data of all matrices but the embedding (weights/weight_walk.h), evenly chosen and by ascending
// address, of `bytes` in all or a little more; everything where the model holds less. Matrices that
// are divided among nodes come node by node, as the threads do that will read them.
std::vector<std::span<const uint8_t>> SampleWeights(const ModelWeights& weights, size_t bytes);

// All bytes of these matrices, with their scales, in the same order.
std::vector<std::span<const uint8_t>> PlacesOfLayers(const ModelWeights& weights);

}  // namespace cedar

#endif  // CEDAR_WEIGHTS_WEIGHT_SAMPLE_H_
