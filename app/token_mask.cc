#include "app/token_mask.h"

#include <algorithm>
#include <utility>

#include "simd/error.h"

namespace cedar {

SortedVocabulary::SortedVocabulary(const Tokenizer& tokenizer) {
  for (int32_t id = 0; id < tokenizer.size(); ++id) {
    if (tokenizer.IsControl(id) || tokenizer.TokenBytes(id).empty()) continue;
    entries_.push_back({id, 0, tokenizer.TokenBytes(id)});
  }
  std::sort(entries_.begin(), entries_.end(),
            [](const Entry& a, const Entry& b) { return a.bytes < b.bytes; });
  for (size_t i = 1; i < entries_.size(); ++i) {
    const std::string_view before = entries_[i - 1].bytes, now = entries_[i].bytes;
    const auto [end, unused] = std::mismatch(before.begin(), before.end(), now.begin(), now.end());
    entries_[i].shared = static_cast<uint32_t>(end - before.begin());
  }
}

TokenMasks::TokenMasks(std::unique_ptr<Grammar> grammar,
                       std::shared_ptr<const SortedVocabulary> vocabulary)
    : grammar_(std::move(grammar)), vocabulary_(std::move(vocabulary)), automaton_(*grammar_) {}

TokenMasks::State TokenMasks::Advance(State state, std::string_view bytes) {
  for (const char byte : bytes) {
    state = automaton_.Step(state, static_cast<uint8_t>(byte));
    CEDAR_CHECK(state != ByteAutomaton::kDead);
  }
  return state;
}

const std::vector<int32_t>& TokenMasks::Allowed(State state) {
  const auto [it, added] = allowed_.try_emplace(state);
  std::vector<int32_t>& ids = it->second;
  if (!added) return ids;
  // path[n]: the state after n bytes of the current token, for as many as are alive.
  std::vector<State> path = {state};
  for (const SortedVocabulary::Entry& entry : vocabulary_->entries()) {
    if (path.size() > entry.shared + 1) path.resize(entry.shared + 1);
    // A token dies with the prefix that it shares with one that died inside that prefix.
    if (path.size() < entry.shared + 1) continue;
    while (path.size() <= entry.bytes.size()) {
      const uint8_t byte = static_cast<uint8_t>(entry.bytes[path.size() - 1]);
      const State next = automaton_.Step(path.back(), byte);
      if (next == ByteAutomaton::kDead) break;
      path.push_back(next);
    }
    if (path.size() == entry.bytes.size() + 1) ids.push_back(entry.id);
  }
  std::sort(ids.begin(), ids.end());
  ids.shrink_to_fit();
  mask_bytes_ += sizeof(*it) + sizeof(int32_t) * ids.size();
  return ids;
}

}  // namespace cedar
