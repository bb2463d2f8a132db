#ifndef CEDAR_ENGINE_SNAPSHOT_H_
#define CEDAR_ENGINE_SNAPSHOT_H_

// Everything that a sequence remembers at one moment of its prompt, so that another sequence with
// the same prefix can go on from there and come to the same bits: pages of global KV (shared, not
// copied), window rings, unfinished groups and the encoder outputs that wait for the decoder.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/kv_pages.h"
#include "engine/sequence.h"
#include "engine/state_slots.h"

namespace cedar {

class Snapshot {
 public:
  // Of the first `position` tokens; no later one may have been computed. It takes one of the slots,
  // which must have one free and hold the fixed part of such a sequence. Slot and pages are given
  // back when the snapshot ends.
  Snapshot(const Sequence& sequence, size_t position, StateSlots& slots);
  ~Snapshot();
  Snapshot(const Snapshot&) = delete;
  Snapshot& operator=(const Snapshot&) = delete;

  size_t position() const { return position_; }
  // Pages that a restored sequence shares with the snapshot: all but one in which the prefix ends,
  // of which it makes a copy of its own.
  size_t WholePages() const { return position_ / pool_.layout().tokens; }

  // Makes a new sequence (no tokens yet, same config and replay) as it was; its tokens are the
  // caller's to set. REQUIRES: the pool has a page free if the prefix ends inside one.
  void RestoreTo(Sequence& sequence) const;

 private:
  struct Ring {
    size_t begin, end;
  };
  struct Source {
    size_t count, group_count;
  };

  KvPages& pool_;
  size_t position_;
  std::vector<size_t> pages_;
  std::vector<Ring> rings_;      // by layer
  std::vector<Source> sources_;  // by KV source
  size_t pending_count_;
  StateSlots& slots_;
  uint8_t* state_;  // the parts that are in use, one after the other
};

}  // namespace cedar

#endif  // CEDAR_ENGINE_SNAPSHOT_H_
