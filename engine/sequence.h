#ifndef CEDAR_ENGINE_SEQUENCE_H_
#define CEDAR_ENGINE_SEQUENCE_H_

// All that the model remembers of one sequence of tokens, in the formats of the spec and in one
// arena (model.md: Attention, Compressed rows, Prefill).

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/arena.h"
#include "engine/replay.h"
#include "engine/window_ring.h"
#include "simd/formats.h"
#include "simd/memory.h"
#include "weights/config.h"
#include "weights/layer_plan.h"

namespace cedar {

// What a KV source has published: compressed rows and index keys, and the tokens of the group that
// is not complete yet.
struct CompressedKv {
  size_t ratio = 1;  // tokens in a group
  size_t row_bytes = 0;
  size_t key_bytes = 0;
  uint8_t* rows = nullptr;  // [capacity][row_bytes]
  uint8_t* keys = nullptr;  // [capacity][key_bytes]
  size_t count = 0;
  size_t capacity = 0;

  // The unfinished group: projections of its tokens, [ratio - 1][head_dim] each.
  float* group_kv = nullptr;
  float* group_gate = nullptr;
  size_t group_count = 0;

  const uint8_t* Row(size_t i) const { return rows + i * row_bytes; }
  // Rows that a query at this position sees: a row is visible once its last token has passed.
  size_t Visible(size_t position) const { return (position + 1) / ratio; }
};

// Encoder outputs of prompt tokens that still wait for the decoder: the last `reach` at most.
struct PendingRows {
  size_t reach = 0;
  size_t row_values = 0;  // hc * hidden
  size_t hc = 0;
  Bf16* streams = nullptr;  // [reach][hc * hidden]
  float* pre = nullptr;     // [reach][hc]
  size_t count = 0;

  // Adds rows behind those that wait; the oldest beyond `reach` go.
  void Append(const Bf16* new_streams, const float* new_pre, size_t n);
};

class Sequence {
 public:
  // Throws Error (kModel) when the memory is not to be had.
  Sequence(const ModelConfig& config, const LayerPlan& plan, size_t context, Replay replay);

  std::vector<int32_t> tokens;           // the whole timeline; its capacity is `context`
  std::vector<WindowRing> windows;       // by layer
  std::vector<CompressedKv> compressed;  // by KV source, in the order of LayerPlan::kv_sources
  PendingRows pending;

  size_t context() const { return context_; }
  // Forgets windows and pending rows; global KV and tokens stay.
  void ClearWindows();

 private:
  size_t context_;
  simd::Memory memory_;
};

// Bytes of a sequence's parts (engine/memory_plan.h).
struct SequenceBytes {
  size_t windows = 0;
  size_t global_kv = 0;
  size_t pending = 0;
};
SequenceBytes CountSequenceBytes(const ModelConfig& config, const LayerPlan& plan, size_t context,
                                 Replay replay);

}  // namespace cedar

#endif  // CEDAR_ENGINE_SEQUENCE_H_
