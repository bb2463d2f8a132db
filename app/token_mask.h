#ifndef CEDAR_APP_TOKEN_MASK_H_
#define CEDAR_APP_TOKEN_MASK_H_

// Which tokens may come next so that the whole text stays within a grammar. A mask is made once for
// each state of the grammar's automaton and then looked up.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "app/byte_automaton.h"
#include "app/grammar.h"
#include "weights/tokenizer.h"

namespace cedar {

// The tokens that stand for bytes, sorted by them, so that tokens with a common prefix are tried
// together. Made once for a tokenizer, which must outlive it.
class SortedVocabulary {
 public:
  explicit SortedVocabulary(const Tokenizer& tokenizer);

  struct Entry {
    int32_t id;
    uint32_t shared;  // bytes in common with the entry before
    std::string_view bytes;
  };
  const std::vector<Entry>& entries() const { return entries_; }

 private:
  std::vector<Entry> entries_;
};

// One grammar over one vocabulary. Not for two threads at once.
class TokenMasks {
 public:
  using State = ByteAutomaton::State;

  TokenMasks(std::unique_ptr<Grammar> grammar, std::shared_ptr<const SortedVocabulary> vocabulary);

  State start() const { return automaton_.start(); }
  // The state after a token that was allowed.
  State Advance(State state, std::string_view bytes);
  bool Accepts(State state) const { return automaton_.Accepts(state); }
  // The ids that may come next, ascending. The end of the text is not among them: ask Accepts().
  const std::vector<int32_t>& Allowed(State state);

  // Memory that its states and masks take, about; it grows as texts reach new states.
  size_t bytes() const { return automaton_.bytes() + mask_bytes_; }

 private:
  std::unique_ptr<Grammar> grammar_;
  std::shared_ptr<const SortedVocabulary> vocabulary_;
  ByteAutomaton automaton_;
  std::unordered_map<State, std::vector<int32_t>> allowed_;
  size_t mask_bytes_ = 0;
};

}  // namespace cedar

#endif  // CEDAR_APP_TOKEN_MASK_H_
