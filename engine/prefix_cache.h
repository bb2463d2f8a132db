#ifndef CEDAR_ENGINE_PREFIX_CACHE_H_
#define CEDAR_ENGINE_PREFIX_CACHE_H_

// Snapshots of prompts that others may share, by replay mode and tokens, under a budget of bytes.
// Those that were used least recently go first.

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

namespace cedar {

class PrefixCache {
 public:
  // budget: bytes of snapshots, without their pages; 0 keeps nothing.
  explicit PrefixCache(size_t budget) : budget_(budget) {}

  // The snapshot of the longest prefix of `tokens`; null if there is none. It lives until the next
  // call of another method.
  const Snapshot* Find(Replay replay, std::span<const int32_t> tokens);
  // The length of that prefix, without counting as a use.
  size_t LongestPrefix(Replay replay, std::span<const int32_t> tokens);

  // Keeps a snapshot of `tokens`, and lets old ones go until the budget holds. One that alone is
  // over the budget is not kept.
  void Keep(Replay replay, std::span<const int32_t> tokens, std::unique_ptr<Snapshot> snapshot);

  // Lets the oldest go, for the sake of its pages; false when there is none.
  bool Evict();

  size_t bytes() const { return bytes_; }

 private:
  struct Entry {
    Replay replay;
    std::vector<int32_t> tokens;
    std::unique_ptr<Snapshot> snapshot;
  };
  using Entries = std::list<Entry>;  // least recently used first

  size_t budget_;
  size_t bytes_ = 0;
  Entries entries_;
  // By replay: a state holds what its own mode will need.
  std::map<Replay, RadixTree<Entries::iterator>> trees_;
};

}  // namespace cedar

#endif  // CEDAR_ENGINE_PREFIX_CACHE_H_
