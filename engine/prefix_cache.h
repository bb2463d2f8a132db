#ifndef CEDAR_ENGINE_PREFIX_CACHE_H_
#define CEDAR_ENGINE_PREFIX_CACHE_H_

// Snapshots of prompts that others may share, by replay mode and tokens, as many as there are slots
// for. Those that were used least recently are evicted first.

#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "engine/radix_tree.h"
#include "engine/replay.h"
#include "engine/snapshot.h"
#include "engine/state_slots.h"

namespace cedar {

class PrefixCache {
 public:
  // slot_bytes: of the largest state; slots: how many are kept at most.
  PrefixCache(size_t slot_bytes, size_t slots) : slots_(slot_bytes, slots) {}

  // The snapshot of the longest prefix of `tokens`; null if there is none. It lives until the next
  // call of another method.
  const Snapshot* Find(Replay replay, std::span<const int32_t> tokens);
  // The length of that prefix, without counting as a use.
  size_t LongestPrefix(Replay replay, std::span<const int32_t> tokens);

  // Keeps the state of a sequence that has come to the end of `tokens`, in the place of an old one
  // if no slot is free; with no slots at all, nothing.
  void Keep(Replay replay, std::span<const int32_t> tokens, const Sequence& sequence);

  // Evicts the one that was used least recently, for the sake of its pages; false when there is
  // none.
  bool Evict();

  size_t bytes() const { return (slots_.capacity() - slots_.free()) * slots_.slot_bytes(); }

 private:
  struct Entry {
    Replay replay;
    std::vector<int32_t> tokens;
    std::unique_ptr<Snapshot> snapshot;
  };
  using Entries = std::list<Entry>;  // least recently used first

  StateSlots slots_;  // outlives the snapshots
  Entries entries_;
  // By replay: a state holds what its own mode will need.
  std::map<Replay, RadixTree<Entries::iterator>> trees_;
};

}  // namespace cedar

#endif  // CEDAR_ENGINE_PREFIX_CACHE_H_
