#include "weights/weight_memory.h"

#include <algorithm>
#include <string>
#include <utility>

#include "simd/error.h"
#include "simd/quantities.h"
#include "weights/matrix_bytes.h"
#include "weights/weight_walk.h"

namespace cedar {
namespace {

// Bytes that one thread reads at a time: many enough for any disk.
constexpr size_t kBlock = size_t{8} << 20;
// Every part begins with a cache line.
constexpr size_t kAlignment = 64;

struct Moved {
  WeightMatrix* matrix;
  bool divided;
};

// All that move, in the order of a forward pass.
std::vector<Moved> MovedMatrices(ModelWeights& weights) {
  std::vector<Moved> all;
  ForEachMatrix(weights, [&](WeightRole role, WeightMatrix& matrix) {
    if (role == WeightRole::kEmbedding) return;
    all.push_back({&matrix, /*divided=*/role != WeightRole::kMix});
  });
  return all;
}

// Hands out places in the memory of one node, which begins at `to`, and notes what must be copied
// there. With to = nullptr it only counts.
class NodeLayout {
 public:
  explicit NodeLayout(uint8_t* to = nullptr) : to_(to) {}

  MatrixPart Place(const WeightMatrix& matrix, Range rows) {
    MatrixPart part{.rows = rows};
    if (rows.size() == 0) return part;
    const WeightMatrix from = RowsOf(matrix, rows);
    const size_t scales = ScaleBytes(from);
    part.data = Place({from.data, MatrixBytes(from) - scales});
    if (scales > 0) part.scales = Place({from.scales, scales});
    return part;
  }

  size_t bytes() const { return bytes_; }
  std::vector<Copy>& copies() { return copies_; }

 private:
  const uint8_t* Place(std::span<const uint8_t> from) {
    uint8_t* const to = to_ == nullptr ? nullptr : to_ + bytes_;
    bytes_ += (from.size() + kAlignment - 1) / kAlignment * kAlignment;
    for (size_t at = 0; to != nullptr && at < from.size(); at += kBlock) {
      copies_.push_back({from.subspan(at, std::min(kBlock, from.size() - at)), to + at});
    }
    return to;
  }

  uint8_t* to_;
  size_t bytes_ = 0;
  std::vector<Copy> copies_;
};

// The parts of a matrix, one for each node.
std::vector<MatrixPart> Place(const Moved& moved, std::span<const simd::NodeThreads> nodes,
                              std::span<NodeLayout> layouts) {
  const WeightMatrix& matrix = *moved.matrix;
  if (!moved.divided) return {layouts[0].Place(matrix, {0, matrix.rows})};
  std::vector<MatrixPart> parts;
  for (size_t i = 0; i < nodes.size(); ++i) {
    parts.push_back(layouts[i].Place(matrix, simd::RowsOfNode(matrix.rows, nodes, i)));
  }
  return parts;
}

void Move(WeightMatrix& matrix, const std::vector<MatrixPart>& parts, WeightMemory& memory) {
  const bool whole = parts[0].rows.size() == matrix.rows;
  matrix.data = whole ? parts[0].data : nullptr;
  matrix.scales = whole ? parts[0].scales : nullptr;
  if (whole) return;
  const size_t first = memory.parts.size();
  memory.parts.insert(memory.parts.end(), parts.begin(), parts.end());
  matrix.parts = std::span(memory.parts).subspan(first);
}

simd::Memory MakeMemory(size_t bytes, int node) {
  const bool any = node == simd::kAnyNode;
  simd::Memory memory(bytes, "weights",
                      any ? simd::Placement::kInterleaved : simd::Placement::kLocal);
  if (!any) simd::PreferNode(memory, node);
  return memory;
}

void CheckRoom(std::span<const NodeLayout> counted) {
  size_t bytes = 0;
  for (const NodeLayout& node : counted) bytes += node.bytes();
  const simd::MemoryRoom room = simd::RoomOfMemory();
  if (room.bytes == 0 || bytes <= room.bytes) return;
  throw Error(ErrorKind::kModel, "memory: the weights need " +
                                     FormatBytes(static_cast<double>(bytes)) + ": found " +
                                     RoomText(room) + "; --weights mmap needs none");
}

}  // namespace

size_t WeightMemory::bytes() const {
  size_t sum = 0;
  for (const simd::Memory& node : nodes) sum += node.bytes();
  return sum;
}

std::vector<std::vector<Copy>> MoveMatrices(ModelWeights& weights,
                                            std::span<const simd::NodeThreads> nodes,
                                            WeightMemory& memory) {
  const std::vector<Moved> matrices = MovedMatrices(weights);
  std::vector<NodeLayout> counted(nodes.size()), placed;
  for (const Moved& moved : matrices) Place(moved, nodes, counted);
  CheckRoom(counted);
  for (size_t i = 0; i < nodes.size(); ++i) {
    memory.nodes.push_back(MakeMemory(counted[i].bytes(), nodes[i].node));
    placed.emplace_back(memory.nodes[i].data());
  }
  memory.parts.reserve(matrices.size() * nodes.size());  // views of it must stay
  for (const Moved& moved : matrices) {
    Move(*moved.matrix, Place(moved, nodes, placed), memory);
  }
  std::vector<std::vector<Copy>> copies;
  for (NodeLayout& node : placed) copies.push_back(std::move(node.copies()));
  return copies;
}

}  // namespace cedar
