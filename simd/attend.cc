#include "simd/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/attend.cc"
#include <hwy/foreach_target.h>
// After foreach_target.h.
#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cmath>

#include "simd/attend_tile-inl.h"
#include "simd/fill.h"

// One token's attention. Rows are decoded once for all heads; then, for each group of heads: scores
// of all rows, their exponentials, and the rows' weighed sum in the order of the rows.
//
// Decoded rows lie in panels of PanelChannels(): the same channels of all rows side by side, so
// that a weighed sum, which wants few channels of every row, reads one ascending stream.

HWY_BEFORE_NAMESPACE();
namespace cedar::simd::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

constexpr size_t kMaxRowsTogether = 8;  // in ScoreRows()
// In WeighedSum(): as many as there are registers for, 32 or 16.
constexpr size_t kHeadsTogether = HWY_MAX_BYTES == 64 ? 8 : 4;

// Two vectors.
HWY_INLINE size_t PanelChannels() { return 2 * hn::Lanes(RowTag()); }
// Odd, or the parts of a row, which are written together, could share one set of the L1 cache.
size_t PanelRows(size_t rows) { return rows | 1; }

size_t RoundUp(size_t n, size_t multiple) { return (n + multiple - 1) / multiple * multiple; }

// What lies in the caller's scratch, each part 64-byte aligned.
struct Parts {
  Tile::T* rows;     // [dim / PanelChannels()][PanelRows(rows)][PanelChannels()]
  Tile::T* queries;  // the queries of a group, packed
  float* weights;    // [rows rounded up][GroupHeads()]: scores, then their exponentials
  float* totals;     // [GroupHeads()]: sums of the exponentials
  size_t bytes;      // all together
};

Parts Divide(uint8_t* scratch, size_t rows, size_t dim) {
  size_t used = 0;
  const auto take = [&](size_t bytes) {
    uint8_t* part = scratch == nullptr ? nullptr : scratch + used;  // null: only the bytes count
    used += RoundUp(bytes, 64);
    return part;
  };
  Parts parts;
  parts.rows = reinterpret_cast<Tile::T*>(take(PanelRows(rows) * dim * sizeof(Tile::T)));
  parts.queries = reinterpret_cast<Tile::T*>(take(GroupHeads() * dim * sizeof(Tile::T)));
  const size_t weights = RoundUp(rows, kMaxRowsTogether) * GroupHeads() * sizeof(float);
  parts.weights = reinterpret_cast<float*>(take(weights));
  parts.totals = reinterpret_cast<float*>(take(GroupHeads() * sizeof(float)));
  parts.bytes = used;
  return parts;
}

size_t AttendScratchBytes(size_t rows, size_t /*heads*/, size_t head_dim) {
  return Divide(nullptr, rows, head_dim).bytes;
}

void DecodeRows(const AttendInput& in, Tile::T* out) {
  const size_t panel_rows = PanelRows(in.window.size() + in.selected.size());
  // Two vectors from channel c on begin a panel: c / PanelChannels() of them lie before.
  const auto store = [&](size_t c, RowVector v0, RowVector v1)
                         HWY_ATTR { Tile::Store(v0, v1, out + c * panel_rows); };
  for (const uint8_t* row : in.window) {
    DecodeWindowRow(row, in.head_dim, store);
    out += PanelChannels();
  }
  for (const uint8_t* row : in.selected) {
    DecodeCompressedRow(row, in.head_dim, store);
    out += PanelChannels();
  }
}

// Of the last four heads those beyond the range repeat its last; further lanes stay as they are,
// and nobody reads what becomes of them.
void PackQueries(const AttendInput& in, Range heads, Tile::T* queries) {
  uint32_t* out = reinterpret_cast<uint32_t*>(queries);
  const auto query = [&](size_t h) {
    return in.q + std::min(heads.begin + h, heads.end - 1) * in.head_dim;
  };
  for (size_t h = 0; h < heads.size(); h += 4) {
    Tile::PackQueries(query(h), query(h + 1), query(h + 2), query(h + 3), in.head_dim, out + h);
  }
}

// Scores of 4 rows with both vectors of heads; or, if kNarrow, of 8 rows with the first vector
// only. `rows` point into the first panel, panels are panel_size elements apart. Row i goes to
// out + i * GroupHeads().
template <bool kNarrow>
HWY_INLINE void ScoreRows(const Tile::T* const* rows, size_t panel_size, const Tile::T* q,
                          size_t dim, float scale, float* HWY_RESTRICT out) {
  const RowTag d;
  const size_t vector_elements = hn::Lanes(d) * Tile::kWordChannels;
  auto a0 = hn::Zero(d), a1 = hn::Zero(d), b0 = hn::Zero(d), b1 = hn::Zero(d);
  auto c0 = hn::Zero(d), c1 = hn::Zero(d), d0 = hn::Zero(d), d1 = hn::Zero(d);
  const size_t panel = PanelChannels();
  for (size_t c = 0; c < dim; c += Tile::kWordChannels, q += 2 * vector_elements) {
    const size_t at = c / panel * panel_size + c % panel;
    const auto spread = [&](size_t row) HWY_ATTR { return Tile::Spread(rows[row] + at); };
    const auto q0 = Tile::LoadQueries(q);
    const auto q1 = kNarrow ? q0 : Tile::LoadQueries(q + vector_elements);
    const auto row_a = spread(0), row_b = spread(1), row_c = spread(2), row_d = spread(3);
    a0 = Tile::AddProducts(row_a, q0, a0);
    b0 = Tile::AddProducts(row_b, q0, b0);
    c0 = Tile::AddProducts(row_c, q0, c0);
    d0 = Tile::AddProducts(row_d, q0, d0);
    a1 = Tile::AddProducts(kNarrow ? spread(4) : row_a, q1, a1);
    b1 = Tile::AddProducts(kNarrow ? spread(5) : row_b, q1, b1);
    c1 = Tile::AddProducts(kNarrow ? spread(6) : row_c, q1, c1);
    d1 = Tile::AddProducts(kNarrow ? spread(7) : row_d, q1, d1);
  }
  const auto store = [&](size_t row, RowVector sum0, RowVector sum1) HWY_ATTR {
    float* to = out + row * GroupHeads();
    hn::Store(hn::Mul(sum0, hn::Set(d, scale)), d, to);
    hn::Store(hn::Mul(sum1, hn::Set(d, scale)), d,
              to + (kNarrow ? 4 * GroupHeads() : hn::Lanes(d)));
  };
  store(0, a0, a1);
  store(1, b0, b1);
  store(2, c0, c1);
  store(3, d0, d1);
}

template <bool kNarrow>
void Scores(const Parts& parts, size_t rows, size_t dim) {
  constexpr size_t kTogether = kNarrow ? 8 : 4;
  const float scale = static_cast<float>(std::pow(static_cast<double>(dim), -0.5));
  for (size_t r = 0; r < rows; r += kTogether) {
    const Tile::T* pointers[kTogether];
    for (size_t i = 0; i < kTogether; ++i) {
      pointers[i] = parts.rows + std::min(r + i, rows - 1) * PanelChannels();
    }
    ScoreRows<kNarrow>(pointers, PanelRows(rows) * PanelChannels(), parts.queries, dim, scale,
                       parts.weights + r * GroupHeads());
  }
}

// Scores of one vector of heads -> exponentials relative to the largest score or sink, in place.
// Returns their sum, the sink's among them.
HWY_INLINE RowVector Exponentials(float* weights, size_t rows, RowVector sink) {
  const RowTag d;
  auto largest = sink;
  for (size_t r = 0; r < rows; ++r) {
    largest = hn::Max(largest, hn::Load(d, weights + r * GroupHeads()));
  }
  auto total = hn::Exp(d, hn::Sub(sink, largest));
  for (size_t r = 0; r < rows; ++r) {
    float* weight = weights + r * GroupHeads();
    const auto e = hn::Exp(d, hn::Sub(hn::Load(d, weight), largest));
    total = hn::Add(total, e);
    hn::Store(e, d, weight);
  }
  return total;
}

void Softmax(const AttendInput& in, Range heads, size_t rows, const Parts& parts) {
  const RowTag d;
  const size_t lanes = hn::Lanes(d);
  for (size_t h = 0; h < heads.size(); h += lanes) {
    const size_t begin = std::min(heads.begin + h, heads.end);
    const auto sink = hn::LoadN(d, in.sink + begin, std::min(lanes, heads.end - begin));
    hn::Store(Exponentials(parts.weights + h, rows, sink), d, parts.totals + h);
  }
}

// A panel of channels for `count` of kHeadsTogether heads whose weights and totals are given:
// out[h * dim + ..] = sum over rows of weight * row / total.
HWY_INLINE void WeighedSum(const Tile::T* HWY_RESTRICT row, const float* HWY_RESTRICT weight,
                           const float* totals, size_t rows, size_t count, size_t dim, Bf16* out) {
  const RowTag d;
  auto a0 = hn::Zero(d), a1 = hn::Zero(d), b0 = hn::Zero(d), b1 = hn::Zero(d);
  auto c0 = hn::Zero(d), c1 = hn::Zero(d), d0 = hn::Zero(d), d1 = hn::Zero(d);
  auto e0 = hn::Zero(d), e1 = hn::Zero(d), f0 = hn::Zero(d), f1 = hn::Zero(d);
  auto g0 = hn::Zero(d), g1 = hn::Zero(d), h0 = hn::Zero(d), h1 = hn::Zero(d);
  for (size_t r = 0; r < rows; ++r, row += PanelChannels(), weight += GroupHeads()) {
    const auto v0 = Tile::First(row), v1 = Tile::Second(row);
    const auto add = [&](size_t head, RowVector& sum0, RowVector& sum1) HWY_ATTR {
      if (head >= kHeadsTogether) return;
      const auto w = hn::Set(d, weight[head]);
      sum0 = hn::MulAdd(w, v0, sum0);
      sum1 = hn::MulAdd(w, v1, sum1);
    };
    add(0, a0, a1);
    add(1, b0, b1);
    add(2, c0, c1);
    add(3, d0, d1);
    add(4, e0, e1);
    add(5, f0, f1);
    add(6, g0, g1);
    add(7, h0, h1);
  }
  const auto store = [&](size_t head, RowVector v0, RowVector v1) HWY_ATTR {
    if (head >= kHeadsTogether || head >= count) return;
    const auto total = hn::Set(d, totals[head]);
    Tile::StoreSums(hn::Div(v0, total), hn::Div(v1, total), out + head * dim);
  };
  store(0, a0, a1);
  store(1, b0, b1);
  store(2, c0, c1);
  store(3, d0, d1);
  store(4, e0, e1);
  store(5, f0, f1);
  store(6, g0, g1);
  store(7, h0, h1);
}

// Heads of one group.
void AttendGroup(const AttendInput& in, Range heads, const Parts& parts, Bf16* out) {
  const size_t rows = in.window.size() + in.selected.size(), dim = in.head_dim;
  PackQueries(in, heads, parts.queries);
  if (heads.size() <= hn::Lanes(RowTag())) {
    Scores<true>(parts, rows, dim);
  } else {
    Scores<false>(parts, rows, dim);
  }
  Softmax(in, heads, rows, parts);
  for (size_t h = 0; h < heads.size(); h += kHeadsTogether) {
    const size_t count = std::min(kHeadsTogether, heads.size() - h);
    for (size_t c = 0; c < dim; c += PanelChannels()) {
      WeighedSum(parts.rows + c * PanelRows(rows), parts.weights + h, parts.totals + h, rows, count,
                 dim, out + (heads.begin + h) * dim + c);
    }
  }
}

void Attend(const AttendInput& in, Range heads, uint8_t* scratch, Bf16* out) {
  const size_t rows = in.window.size() + in.selected.size();
  const Parts parts = Divide(scratch, rows, in.head_dim);
  DecodeRows(in, parts.rows);
  for (size_t h = heads.begin; h < heads.end; h += GroupHeads()) {
    AttendGroup(in, {h, std::min(heads.end, h + GroupHeads())}, parts, out);
  }
}

}  // namespace cedar::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace cedar::simd {

HWY_EXPORT(Attend);
HWY_EXPORT(AttendScratchBytes);

void FillAttend(int64_t target, Kernels* kernels) {
  kernels->attend_scratch_bytes = CEDAR_KERNEL(AttendScratchBytes, target);
  kernels->attend = CEDAR_KERNEL(Attend, target);
}

}  // namespace cedar::simd

#endif  // HWY_ONCE
