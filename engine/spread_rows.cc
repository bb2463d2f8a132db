#include "engine/spread_rows.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "simd/nodes.h"

namespace cedar {
namespace {

// Rows of a block, which one thread takes at a time: many, for long streams of memory, but not so
// many that threads go without.
constexpr size_t kMostRows = 64;
// For each thread, so that one block more or less does not count much.
constexpr size_t kBlocksPerThread = 4;

// The rows of one matrix for one node.
struct Run {
  size_t matrix;
  Range rows;
};

size_t RowsOfBlock(std::span<const size_t> rows, int threads, size_t fewest) {
  const size_t all = std::accumulate(rows.begin(), rows.end(), size_t{0});
  const size_t wanted = kBlocksPerThread * static_cast<size_t>(threads);
  size_t block = kMostRows;
  while (block / 2 >= fewest && block * wanted > all) block /= 2;
  return block;
}

// Node by node, so that the threads of a node, which come one after the other too, walk through all
// that is theirs.
std::vector<Run> RunsOf(std::span<const simd::NodeThreads> nodes, std::span<const size_t> rows) {
  std::vector<Run> runs;
  runs.reserve(nodes.size() * rows.size());
  for (size_t node = 0; node < nodes.size(); ++node) {
    for (size_t i = 0; i < rows.size(); ++i) {
      runs.push_back({i, simd::RowsOfNode(rows[i], nodes, node)});
    }
  }
  return runs;
}

}  // namespace

void SpreadRows(const simd::Workers& workers, std::span<const size_t> rows, size_t fewest,
                const RowsBody& body) {
  const size_t block = RowsOfBlock(rows, workers.threads(), fewest);
  const std::vector<Run> runs = RunsOf(workers.nodes(), rows);
  std::vector<size_t> first{0};  // blocks of rows before those of each run
  for (const Run& run : runs) {
    first.push_back(first.back() + (run.rows.size() + block - 1) / block);
  }
  workers.ForRanges(first.back(), 1, [&](Range blocks, int worker) {
    size_t i = static_cast<size_t>(std::upper_bound(first.begin(), first.end(), blocks.begin) -
                                   first.begin()) -
               1;
    for (; i < runs.size() && first[i] < blocks.end; ++i) {
      const Range all = runs[i].rows;
      const size_t begin = std::max(blocks.begin, first[i]) - first[i];
      const size_t end = std::min(blocks.end, first[i + 1]) - first[i];
      if (begin == end) continue;
      body(runs[i].matrix, {all.begin + begin * block, std::min(all.begin + end * block, all.end)},
           worker);
    }
  });
}

}  // namespace cedar
