#ifndef CEDAR_WEIGHTS_WEIGHT_MEMORY_H_
#define CEDAR_WEIGHTS_WEIGHT_MEMORY_H_

// Where the matrices of a model lie when they do not stay in the mapping: on huge pages whatever
// pages the file cache has, and each row in the memory of the node whose threads multiply it. So
// no weights cross the links between sockets, for one generated token as for a prompt.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "simd/memory.h"
#include "simd/nodes.h"
#include "weights/model_weights.h"

namespace cedar {

struct WeightMemory {
  // One for each node; of a team that is not bound, one that is spread over all nodes.
  std::vector<simd::Memory> nodes;
  std::vector<MatrixPart> parts;  // of all matrices that are divided

  size_t bytes() const;
};

struct Copy {
  std::span<const uint8_t> from;
  uint8_t* to;
};

// Makes the memory and moves the matrices there; what must be copied for that is returned, by node,
// in pieces of at most 8 MB. A matrix with rows for several nodes is divided (WeightMatrix::parts)
// as simd::RowsOfNode() says; others lie in the first node's memory, and so do those of the
// hyper-connections, which are read in another way. The embedding and the Engram tables, of which a
// token reads a few rows, stay where they are. Throws Error (kModel) when the memory is not there.
std::vector<std::vector<Copy>> MoveMatrices(ModelWeights& weights,
                                            std::span<const simd::NodeThreads> nodes,
                                            WeightMemory& memory);

}  // namespace cedar

#endif  // CEDAR_WEIGHTS_WEIGHT_MEMORY_H_
