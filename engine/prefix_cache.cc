#include "engine/prefix_cache.h"

#include <utility>

namespace cedar {

const Snapshot* PrefixCache::Find(Replay replay, std::span<const int32_t> tokens) {
  const auto match = trees_[replay].Longest(tokens);
  if (match.value == nullptr) return nullptr;
  entries_.splice(entries_.end(), entries_, *match.value);
  return (*match.value)->snapshot.get();
}

size_t PrefixCache::LongestPrefix(Replay replay, std::span<const int32_t> tokens) {
  return trees_[replay].Longest(tokens).length;
}

void PrefixCache::Keep(Replay replay, std::span<const int32_t> tokens, const Sequence& sequence) {
  if (slots_.capacity() == 0 || LongestPrefix(replay, tokens) == tokens.size()) return;
  if (slots_.free() == 0) Evict();
  entries_.push_back({replay,
                      {tokens.begin(), tokens.end()},
                      std::make_unique<Snapshot>(sequence, tokens.size(), slots_)});
  trees_[replay].Insert(tokens, std::prev(entries_.end()));
}

bool PrefixCache::Evict() {
  if (entries_.empty()) return false;
  trees_[entries_.front().replay].Erase(entries_.front().tokens);
  entries_.pop_front();
  return true;
}

}  // namespace cedar
