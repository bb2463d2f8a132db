#include "app/token_mask.h"

#include <optional>
#include <utility>
#include <vector>

#include "simd/error.h"

namespace cedar {
namespace {

// A state that goes on with so many bytes is inside of a string.
constexpr size_t kWide = 128;

}  // namespace

TokenMasks::TokenMasks(std::unique_ptr<Grammar> grammar,
                       std::shared_ptr<const Vocabulary> vocabulary, size_t most_bytes)
    : grammar_(std::move(grammar)),
      vocabulary_(std::move(vocabulary)),
      automaton_(*grammar_),
      most_bytes_(most_bytes) {}

TokenMasks::State TokenMasks::Advance(State state, std::string_view bytes) {
  for (const char byte : bytes) {
    state = automaton_.Step(state, static_cast<uint8_t>(byte));
    CEDAR_CHECK(state != ByteAutomaton::kDead);
  }
  return state;
}

const TokenSet& TokenMasks::Allowed(State state) {
  const auto known = masks_.find(state);
  if (known != masks_.end()) return known->second;
  const TokenSet& mask = masks_.emplace(state, MakeMask(state)).first->second;
  mask_bytes_ += mask.bytes();
  return mask;
}

void TokenMasks::RenewIfLarge() {
  if (mask_bytes_ + automaton_.bytes() <= most_bytes_) return;
  automaton_ = ByteAutomaton(*grammar_);
  ++renewals_;
  masks_.clear();
  parts_.clear();
  mask_bytes_ = 0;
}

TokenSet TokenMasks::MakeMask(State state) {
  if (automaton_.Next(state).count() >= kWide) {
    if (const auto division = automaton_.Divide(state)) return MakeWide(*division);
  }
  TokenSet mask(vocabulary_->size);
  vocabulary_->trie.AddAllowed(automaton_, state, mask);
  return mask;
}

TokenSet TokenMasks::MakeWide(const ByteAutomaton::Division& division) {
  const Part& part = PartFrom(division.part);
  TokenSet mask = part.inside;
  part.exits.AddAllowed(automaton_, division.rest, mask);
  return mask;
}

const TokenMasks::Part& TokenMasks::PartFrom(State state) {
  if (const auto known = parts_.find(state); known != parts_.end()) return known->second;
  TokenSet inside(vocabulary_->size);
  const TokenTrie& trie = vocabulary_->trie;
  std::vector<size_t> ends;  // nodes with which the part may end
  trie.Walk(automaton_, state, [&](size_t i, State next) {
    for (const TokenTrie::Token& token : trie.TokensOf(i, i + 1)) inside.Add(token.id);
    if (automaton_.Accepts(next)) ends.push_back(i);
  });
  std::vector<TokenTrie::Token> exits;
  for (const size_t i : ends) {
    for (const TokenTrie::Token& token : trie.TokensOf(i + 1, trie.node(i).end)) {
      if (!inside.Contains(token.id)) {
        exits.push_back({token.bytes.substr(trie.node(i).depth + 1), token.id});
      }
    }
  }
  Part part{std::move(inside), TokenTrie(std::move(exits))};
  mask_bytes_ += part.inside.bytes() + part.exits.bytes();
  return parts_.emplace(state, std::move(part)).first->second;
}

}  // namespace cedar
