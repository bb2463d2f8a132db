#include "engine/spread_rows.h"

#include <algorithm>
#include <vector>

namespace cedar {
namespace {

// Weight rows that one thread takes at a time. A multiple of the 32 rows that share FP8 scales.
constexpr size_t kRowsAtATime = 64;

}  // namespace

void SpreadRows(const simd::Workers& workers, std::span<const size_t> rows, const RowsBody& body) {
  std::vector<size_t> first{0};  // blocks of rows before those of each matrix
  for (const size_t n : rows) first.push_back(first.back() + (n + kRowsAtATime - 1) / kRowsAtATime);
  workers.ForRanges(first.back(), 1, [&](Range blocks, int worker) {
    size_t i = static_cast<size_t>(std::upper_bound(first.begin(), first.end(), blocks.begin) -
                                   first.begin()) -
               1;
    for (; i < rows.size() && first[i] < blocks.end; ++i) {
      const size_t begin = std::max(blocks.begin, first[i]) - first[i];
      const size_t end = std::min(blocks.end, first[i + 1]) - first[i];
      body(i, {begin * kRowsAtATime, std::min(end * kRowsAtATime, rows[i])}, worker);
    }
  });
}

}  // namespace cedar
