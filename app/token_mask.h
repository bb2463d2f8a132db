#ifndef CEDAR_APP_TOKEN_MASK_H_
#define CEDAR_APP_TOKEN_MASK_H_

// Which tokens may come next so that the whole text stays within a grammar. A mask is made once for
// each state of the grammar's automaton and then looked up.
//
// Within a string nearly every token may come, and each string of an answer is a state of its own:
// what follows it differs. So what may come inside of a string is found once for all strings of a
// grammar; for each of them only the tokens that lead out of it are tried (MakeWide).

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <unordered_map>

#include "app/byte_automaton.h"
#include "app/grammar.h"
#include "app/token_trie.h"
#include "engine/token_set.h"

namespace cedar {

// One grammar over one vocabulary. Not for two threads at once.
class TokenMasks {
 public:
  using State = ByteAutomaton::State;

  // most_bytes: of masks and states that are kept, about; with more of them all are made anew.
  TokenMasks(std::unique_ptr<Grammar> grammar, std::shared_ptr<const Vocabulary> vocabulary,
             size_t most_bytes = size_t{16} << 20);

  // Forgets all masks and states if they take too much; then states are others, and who has one
  // goes from the start again. Which time that was: `renewals`.
  void RenewIfLarge();
  size_t renewals() const { return renewals_; }

  State start() const { return automaton_.start(); }
  // The state after bytes, or after a token, that were allowed.
  State Advance(State state, std::string_view bytes);
  State Advance(State state, int32_t id) { return Advance(state, vocabulary_->BytesOf(id)); }
  bool Accepts(State state) const { return automaton_.Accepts(state); }
  // The tokens that may come next, until the next call. The end of the text is not among them: ask
  // Accepts().
  const TokenSet& Allowed(State state);

  // Memory that its states and masks take, about; it grows as texts reach new states.
  size_t bytes() const { return grammar_->bytes() + automaton_.bytes() + mask_bytes_; }

 private:
  // What may come in a part of a text, whatever follows the part.
  struct Part {
    TokenSet inside;  // tokens that stay in it, or end with it
    TokenTrie exits;  // what is left behind its end, of those that do not
  };

  TokenSet MakeMask(State state);
  TokenSet MakeWide(const ByteAutomaton::Division& division);
  const Part& PartFrom(State state);

  std::unique_ptr<Grammar> grammar_;
  std::shared_ptr<const Vocabulary> vocabulary_;
  ByteAutomaton automaton_;
  size_t most_bytes_;
  std::unordered_map<State, TokenSet> masks_;
  std::unordered_map<State, Part> parts_;  // by the part's first state
  size_t mask_bytes_ = 0;
  size_t renewals_ = 0;
};

}  // namespace cedar

#endif  // CEDAR_APP_TOKEN_MASK_H_
