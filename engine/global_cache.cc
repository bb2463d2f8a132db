#include "engine/global_cache.h"

#include <iterator>

namespace cedar {

GlobalCache::~GlobalCache() {
  while (Evict()) {
  }
}

std::vector<PageKey> GlobalCache::KeysOf(std::span<const int32_t> tokens) const {
  const size_t page_tokens = pool_.layout().tokens;
  std::vector<PageKey> keys;
  PageKey key = model_;
  for (; tokens.size() >= page_tokens; tokens = tokens.subspan(page_tokens)) {
    key = KeyOfNext(key, tokens.first(page_tokens));
    keys.push_back(key);
  }
  return keys;
}

size_t GlobalCache::LongestPrefix(std::span<const int32_t> tokens) const {
  size_t length = 0;
  for (const PageKey& key : KeysOf(tokens)) {
    if (!by_key_.contains(key) && (store_ == nullptr || !store_->Has(key))) break;
    length += pool_.layout().tokens;
  }
  return length;
}

const GlobalCache::Entry* GlobalCache::Find(const PageKey& key) {
  if (const auto it = by_key_.find(key); it != by_key_.end()) {
    entries_.splice(entries_.end(), entries_, it->second);
    return &*it->second;
  }
  if (store_ == nullptr || !store_->Has(key) || pool_.free() == 0) return nullptr;
  const size_t page = pool_.Take();
  if (!store_->Load(key, pool_.data(page))) {
    pool_.Release(page);
    return nullptr;
  }
  Add(key, page);
  return &entries_.back();
}

void GlobalCache::Add(const PageKey& key, size_t page) {
  entries_.push_back({key, page});
  by_key_[key] = std::prev(entries_.end());
}

size_t GlobalCache::RestoreTo(Sequence& sequence, std::span<const int32_t> tokens) {
  const size_t damaged = store_ == nullptr ? 0 : store_->damaged();
  std::vector<size_t> pages;
  for (const PageKey& key : KeysOf(tokens)) {
    const Entry* const entry = Find(key);
    if (entry == nullptr) break;
    pages.push_back(entry->page);
  }
  if (store_ != nullptr && store_->damaged() > damaged) return 0;
  for (const size_t page : pages) sequence.AdoptPage(page, /*copy=*/false);
  const size_t length = pages.size() * pool_.layout().tokens;
  for (CompressedKv& kv : sequence.compressed) {
    kv.count = length / kv.layout.ratio;
    kv.group_count = 0;
  }
  return length;
}

void GlobalCache::Keep(const Sequence& sequence, std::span<const int32_t> tokens, size_t position) {
  const std::vector<PageKey> keys = KeysOf(tokens.first(position));
  for (size_t i = 0; i < keys.size(); ++i) {
    const size_t page = sequence.pages()[i];
    if (store_ != nullptr) store_->Append(keys[i], pool_.data(page));
    if (by_key_.contains(keys[i])) continue;
    pool_.Share(page);
    Add(keys[i], page);
  }
}

bool GlobalCache::Evict() {
  if (entries_.empty()) return false;
  pool_.Release(entries_.front().page);
  by_key_.erase(entries_.front().key);
  entries_.pop_front();
  return true;
}

}  // namespace cedar
