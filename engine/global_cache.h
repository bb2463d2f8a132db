#ifndef CEDAR_ENGINE_GLOBAL_CACHE_H_
#define CEDAR_ENGINE_GLOBAL_CACHE_H_

// Prefixes that are kept as global KV alone (model.md, Prefix reuse): whole pages, in memory while
// the pool has room for them and on disk if there is a store. A sequence that starts from them
// rebuilds its windows from the last tokens; its results are near those of a cold start but not
// equal.

#include <cstddef>
#include <list>
#include <span>
#include <unordered_map>
#include <vector>

#include "engine/kv_pages.h"
#include "engine/kv_store.h"
#include "engine/page_key.h"
#include "engine/sequence.h"

namespace cedar {

class GlobalCache {
 public:
  // model: as in KvStoreOptions. store may be null. Pool and store must outlive the cache.
  GlobalCache(KvPages& pool, const PageKey& model, KvStore* store)
      : pool_(pool), model_(model), store_(store) {}
  ~GlobalCache();
  GlobalCache(const GlobalCache&) = delete;
  GlobalCache& operator=(const GlobalCache&) = delete;

  // Tokens of the longest prefix that seems to be there: whole pages only.
  size_t LongestPrefix(std::span<const int32_t> tokens) const;

  // Gives a new sequence the pages of the longest prefix, and says how many tokens they hold. Pages
  // from disk are taken from the pool while it has any free. If one turns out to be damaged, the
  // sequence gets nothing: only what a cold start computes may take the page's place.
  size_t RestoreTo(Sequence& sequence, std::span<const int32_t> tokens);

  // Keeps the whole pages of the first `position` tokens of a sequence; those that are kept already
  // cost nothing.
  void Keep(const Sequence& sequence, std::span<const int32_t> tokens, size_t position);

  // Evicts the page that was used least recently from memory; false when there is none.
  bool Evict();

 private:
  struct Entry {
    PageKey key;
    size_t page;
  };
  using Entries = std::list<Entry>;  // least recently used first

  std::vector<PageKey> KeysOf(std::span<const int32_t> tokens) const;
  // The page of a key in memory, read from disk if need be.
  const Entry* Find(const PageKey& key);
  void Add(const PageKey& key, size_t page);

  KvPages& pool_;
  PageKey model_;
  KvStore* store_;
  Entries entries_;
  std::unordered_map<PageKey, Entries::iterator> by_key_;
};

}  // namespace cedar

#endif  // CEDAR_ENGINE_GLOBAL_CACHE_H_
