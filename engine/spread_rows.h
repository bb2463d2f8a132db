#ifndef CEDAR_ENGINE_SPREAD_ROWS_H_
#define CEDAR_ENGINE_SPREAD_ROWS_H_

// The weight rows of several matrices, spread over the threads as one piece of work.

#include <cstddef>
#include <functional>
#include <span>

#include "simd/matrix.h"
#include "simd/workers.h"

namespace cedar {

// Some weight rows of matrix number `matrix`.
using RowsBody = std::function<void(size_t matrix, Range rows, int worker)>;

// Calls the body on disjoint ranges that cover [0, rows[i]) of every matrix i, each but the last of
// a node's rows (simd::RowsOfNode) a multiple of `fewest` rows long, a power of two up to 32:
// several such where there is work enough. Every thread walks one run of rows, through one matrix
// after the other; on a machine of several nodes those of its own node, but for the few that make
// the threads even. What Workers::ForRanges() asks of bodies holds here too.
void SpreadRows(const simd::Workers& workers, std::span<const size_t> rows, size_t fewest,
                const RowsBody& body);

}  // namespace cedar

#endif  // CEDAR_ENGINE_SPREAD_ROWS_H_
