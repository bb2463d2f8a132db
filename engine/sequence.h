#ifndef CEDAR_ENGINE_SEQUENCE_H_
#define CEDAR_ENGINE_SEQUENCE_H_

// All that the model remembers of one sequence of tokens, in the formats of the spec: one arena of
// what does not grow, and pages of global KV (model.md: Attention, Compressed rows, Prefill).

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/arena.h"
#include "engine/kv_pages.h"
#include "engine/replay.h"
#include "engine/state_slots.h"
#include "engine/window_ring.h"
#include "simd/formats.h"
#include "simd/memory.h"
#include "weights/config.h"
#include "weights/layer_plan.h"

namespace cedar {

// What a KV source has published for one sequence: compressed rows and index keys in pages, and the
// tokens of the group that is not complete yet.
struct CompressedKv {
  KvPageSource layout;
  std::vector<uint8_t*> pages;  // data of the sequence's pages, in order
  size_t count = 0;             // rows

  // The unfinished group: projections of its tokens, [ratio - 1][head_dim] each.
  float* group_kv = nullptr;
  float* group_gate = nullptr;
  size_t group_dim = 0;  // head_dim
  size_t group_count = 0;

  size_t capacity() const { return pages.size() * layout.rows; }
  // Rows that a query at this position sees: a row is visible once its last token has passed.
  size_t Visible(size_t position) const { return (position + 1) / layout.ratio; }

  uint8_t* Row(size_t i) const {
    return pages[i / layout.rows] + layout.rows_at + i % layout.rows * layout.row_bytes;
  }
  uint8_t* Key(size_t i) const {
    return pages[i / layout.rows] + layout.keys_at + i % layout.rows * layout.key_bytes;
  }
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
  // Takes pages from `pages`, and for the fixed part one of `slots` (which must have one free);
  // both must outlive it. Without slots it allocates that itself, and throws Error (kModel) when
  // the memory is not to be had.
  Sequence(const ModelConfig& config, const LayerPlan& plan, KvPages& pages, size_t context,
           Replay replay, StateSlots* slots = nullptr);
  ~Sequence();
  Sequence(const Sequence&) = delete;
  Sequence& operator=(const Sequence&) = delete;

  std::vector<int32_t> tokens;           // the whole timeline, at most `context`
  std::vector<WindowRing> windows;       // by layer
  std::vector<CompressedKv> compressed;  // by KV source, in the order of LayerPlan::kv_sources
  PendingRows pending;
  size_t engrams_asked = 0;  // tokens whose Engram rows were asked for (engine/engram_fetch.h)

  size_t context() const { return context_; }
  // Pages that it must still take to hold so many positions.
  size_t PagesMissing(size_t positions) const;
  // Takes them. REQUIRES: the pool has them free.
  void Grow(size_t positions);
  // Adds a page that has content already: shared, or as a copy of its own (from the free pages).
  void AdoptPage(size_t page, bool copy);
  const std::vector<size_t>& pages() const { return pages_; }
  KvPages& pool() const { return pool_; }
  // Clears windows and pending rows; global KV and tokens stay.
  void ClearWindows();

 private:
  void AddPage(size_t page);

  size_t context_;
  KvPages& pool_;
  std::vector<size_t> pages_;  // by position / tokens of a page
  // Windows, unfinished groups and pending rows: a slot, or memory of its own.
  StateSlots* slots_;
  uint8_t* slot_ = nullptr;
  simd::Memory memory_;
};

// Bytes of the part of a sequence that does not grow (engine/memory_plan.h).
struct SequenceBytes {
  size_t windows = 0;
  size_t pending = 0;
  size_t fixed() const { return windows + pending; }
};
SequenceBytes CountSequenceBytes(const ModelConfig& config, const LayerPlan& plan, size_t context,
                                 Replay replay);

}  // namespace cedar

#endif  // CEDAR_ENGINE_SEQUENCE_H_
