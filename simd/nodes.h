#ifndef CEDAR_SIMD_NODES_H_
#define CEDAR_SIMD_NODES_H_

// Nodes: the parts of a machine's memory, each near some of its cores. A socket has one of them or
// several; reading another's memory is slower, and the link between them narrower than both.

#include <cstddef>
#include <map>
#include <span>
#include <string>

#include "simd/matrix.h"

namespace cedar::simd {

inline constexpr int kAnyNode = -1;

// Some consecutive threads of a team that keep to cores of one node, or to none in particular.
struct NodeThreads {
  int node = kAnyNode;
  int threads = 1;

  bool operator==(const NodeThreads&) const = default;
};

int ThreadsOf(std::span<const NodeThreads> nodes);

// The rows of a matrix that the threads of nodes[i] multiply, in every step, so that these rows can
// lie in their node's memory: in proportion to threads, in multiples of the 32 rows that share FP8
// scales. The ranges of all nodes cover [0, rows) in order; of a small matrix some are empty, never
// the first.
Range RowsOfNode(size_t rows, std::span<const NodeThreads> nodes, size_t i);

// The node of every CPU, as Linux lists them in this folder; empty if it does not.
std::map<int, int> NodesOfCpus(const std::string& folder = "/sys/devices/system/node");

}  // namespace cedar::simd

#endif  // CEDAR_SIMD_NODES_H_
