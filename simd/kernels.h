#ifndef CEDAR_SIMD_KERNELS_H_
#define CEDAR_SIMD_KERNELS_H_

// Every kernel of the engine, as one table of plain functions for each ISA.
//
// An Engine picks a table once and passes it down, so which instructions run is a value and not a
// global setting, and tests can compare two tables side by side. Kernels are single-threaded and
// allocate nothing: callers split ranges over threads and hand in scratch. Pointers are unaligned
// unless a comment says otherwise. Inputs are finite.
//
// Bits: an output element depends only on its own inputs and the table; never on how many rows are
// computed together nor on how a range is cut. Each kernel fixes the order of its sums for that
// (model.md, Rounding points, says where results are rounded). The reference table does everything
// in double precision and rounds exactly where the oracle rounds.

#include <cstddef>
#include <cstdint>
#include <span>

#include "simd/formats.h"
#include "simd/isa.h"
#include "simd/matrix.h"

namespace cedar::simd {

// y[i][j] = sum_k x[i][k] * W[j][k], in two steps, so that what is done to a row of activations is
// done once and not once for each range of weight rows. Activations and the scales of FP8 weights
// are below 2^67, with room for what no model has.
struct MatMul {
  const char* name;  // for `cedar info`

  // Bytes of one packed row of `cols` activations for a weight of this format; a multiple of 64.
  size_t (*packed_bytes)(Format weights, size_t cols);
  // x [cols] -> packed, 64-byte aligned: quantises as `activation` says and lays the row out as
  // multiply() wants it. Fills in the channels of `part`, which begins and ends with a block of 32;
  // parts of a row may be packed in any order, by several threads at once.
  void (*pack)(Format weights, Activation activation, const Bf16* x, size_t cols, Range part,
               uint8_t* packed);
  // Weight rows `range` times the packed rows x[0..): fills y[i][range). Streams the weights once
  // for any number of rows. `scratch` holds scratch_bytes(), 64-byte aligned.
  void (*multiply)(const WeightMatrix& w, Range range, std::span<const uint8_t* const> x,
                   const MatMulOutput& y, uint8_t* scratch);
  size_t (*scratch_bytes)(Format weights, size_t cols);
};

// One token's attention (model.md, Attention): its own window rows, then the selected rows.
struct AttendInput {
  const Bf16* q;  // [heads][head_dim], rotated
  size_t heads = 0;
  size_t head_dim = 0;                       // multiple of 32
  std::span<const uint8_t* const> window;    // packed window rows, oldest first; at least one
  std::span<const uint8_t* const> selected;  // packed compressed rows, ascending
  const float* sink;                         // [heads]: a logit in the denominator only
};

inline constexpr size_t kMaxIndexDim = 1024;  // channels of an index key
inline constexpr size_t kMaxStreams = 16;     // what the kernels below can hold of hc

// Hyper-connection parameters of one sublayer (model.md, Block). hc streams of `hidden` channels.
struct MixParameters {
  size_t hc = 0;
  size_t hidden = 0;
  const float* base;    // [(2 + hc) * hc]
  const float* scale;   // [3]
  double norm_eps = 0;  // rms_norm_eps
  double hc_eps = 0;
  int sinkhorn_iters = 0;
};

struct RouteParameters {
  size_t experts = 0;
  size_t count = 0;  // experts per token
  bool normalise = true;
  double scaling = 1;
  const float* bias;  // [experts]
};

struct Kernels {
  Isa isa;

  // ---- matrix products -----------------------------------------------------------------------
  MatMul generated;  // rows that were generated
  MatMul prompt;     // rows of a prompt, a lone one included: a fixed choice for the kind of CPU
  MatMul integer;    // rows of either kind as int8 (kInt8), for FP4 weights only

  // ---- hyper-connections (model.md, Block) ---------------------------------------------------
  // dots[t][j] = sum_k streams[t][k] * fn[j][k] for j in range and every token. fn is F32 (BF16
  // also works) [(2 + hc) * hc][hc * hidden]; dots is [tokens][fn.rows].
  void (*mix_dots)(const WeightMatrix& fn, Range range, std::span<const Bf16* const> streams,
                   double* dots);
  // dots [(2 + hc) * hc] and streams [hc][hidden] -> pre [hc], post [hc], comb [hc][hc] with
  // comb[i * hc + j] the part of stream i in stream j.
  void (*mix_finish)(const MixParameters& p, const double* dots, const Bf16* streams, float* pre,
                     float* post, float* comb);
  // out[c] = bf16(sum_i pre[i] * streams[i][c])
  void (*collapse)(const Bf16* streams, const float* pre, size_t hc, size_t hidden, Bf16* out);
  // streams[j][c] = bf16(post[j] * y[c] + sum_i comb[i][j] * streams[i][c]), in place.
  void (*expand)(const Bf16* y, const float* post, const float* comb, size_t hc, size_t hidden,
                 Bf16* streams);

  // ---- rows ----------------------------------------------------------------------------------
  // out may be x.
  void (*rms_norm)(const Bf16* x, const float* weight, size_t n, double eps, Bf16* out);
  // Rotates the adjacent pairs of the last rope_dim of dim channels of `count` vectors, in place.
  // cos, sin [rope_dim / 2]; inverse turns backwards.
  void (*rope)(Bf16* x, size_t count, size_t dim, size_t rope_dim, const float* cos,
               const float* sin, bool inverse);
  void (*store_window_row)(const Bf16* x, size_t n, uint8_t* row);
  void (*store_compressed_row)(const Bf16* x, size_t n, uint8_t* row);
  void (*store_index_key)(const Bf16* x, size_t n, uint8_t* row);  // index queries too
  // Pools ratio (>= 2) tokens of an attention group (model.md, Compressed rows): per channel the
  // softmax of gate weighs kv. kv, gate: [ratio] pointers to [n].
  void (*pool)(const float* const* kv, const float* const* gate, size_t ratio, size_t n, Bf16* out);

  // ---- attention -----------------------------------------------------------------------------
  size_t (*attend_scratch_bytes)(size_t rows, size_t heads, size_t head_dim);
  // out [heads][head_dim]: fills the heads of the range. scratch 64-byte aligned.
  void (*attend)(const AttendInput& in, Range heads, uint8_t* scratch, Bf16* out);

  // ---- selection -----------------------------------------------------------------------------
  // One token's index scores (model.md, Index keys): queries [heads][IndexKeyBytes(dim)], head
  // weights w [heads], each key [IndexKeyBytes(dim)]; scores[i] is that of keys[i]. dim at most
  // kMaxIndexDim. Each call unpacks the queries, which costs as much as ten keys or so: call it for
  // many.
  void (*index_scores)(const uint8_t* queries, const float* w, size_t heads, size_t dim,
                       std::span<const uint8_t* const> keys, float* scores);
  // The `k` largest of scores [n], ties to the lower index, never -infinity: their indices
  // ascending in out; returns how many. -0 equals 0.
  size_t (*top_k)(const float* scores, size_t n, size_t k, int32_t* out);
  // maxima[b] = largest of scores[b * block .. min(n, (b + 1) * block)), for every block.
  void (*block_max)(const float* scores, size_t n, size_t block, float* maxima);

  // ---- mixture of experts --------------------------------------------------------------------
  // The chosen experts, best first, and their weights. logits [experts].
  void (*route)(const RouteParameters& p, const float* logits, int32_t* ids, float* weights);
  // out[c] = bf16(silu(min(gate, limit)) * clamp(up, -limit, limit) * weight); limit 0: no clamp.
  // weight null: no weight (shared expert).
  void (*swiglu)(const Bf16* gate, const Bf16* up, size_t n, float limit, const float* weight,
                 Bf16* out);
  // out[c] = bf16(sum of parts[i][c]), i ascending.
  void (*sum_rows)(const Bf16* const* parts, size_t count, size_t n, Bf16* out);

  // ---- engram --------------------------------------------------------------------------------
  // One table row of n E4M3 codes with n / 32 UE8M0 scales -> bf16, exactly.
  void (*decode_engram_row)(const uint8_t* codes, const uint8_t* scales, size_t n, Bf16* out);
  // kv [hc + 1][hidden]: one key for each stream, then the value. qk_weight [hc][hidden]: the
  // product q_weight * k_weight. streams [hc][hidden], in place.
  void (*engram_gate)(const Bf16* kv, const double* qk_weight, size_t hc, size_t hidden, double eps,
                      Bf16* streams);
};

// The table of an ISA that this CPU has (simd/isa.h); lives for ever.
const Kernels& KernelsFor(Isa isa);

}  // namespace cedar::simd

#endif  // CEDAR_SIMD_KERNELS_H_
