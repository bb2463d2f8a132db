#ifndef CEDAR_APP_TOKEN_TRIE_H_
#define CEDAR_APP_TOKEN_TRIE_H_

// Tokens as a tree over their bytes, so that all that begin alike are tried together: with a state
// that dies, everything below it is out.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "app/byte_automaton.h"
#include "engine/token_set.h"
#include "weights/tokenizer.h"

namespace cedar {

class TokenTrie {
 public:
  struct Token {
    std::string_view bytes;  // not empty
    int32_t id;
  };

  // Two tokens may have the same bytes, and one token may stand for several texts.
  explicit TokenTrie(std::vector<Token> tokens);

  // Each node stands for one more byte behind its parent's; all that are below it follow it.
  struct Node {
    uint32_t end;    // index of the first node that is not below
    uint32_t first;  // its tokens are tokens()[first] up to the next node's first
    uint32_t depth;  // bytes before this one
    uint8_t byte;
  };

  // Calls visit(index, state) for each node that a text can reach from `state`, with the state
  // behind it. state is not kDead.
  template <class Visit>
  void Walk(ByteAutomaton& automaton, ByteAutomaton::State state, const Visit& visit) const {
    std::vector<ByteAutomaton::State> path(deepest_ + 1);  // by depth
    path[0] = state;
    for (size_t i = 0; i < size();) {
      const Node& node = nodes_[i];
      const ByteAutomaton::State next = automaton.Step(path[node.depth], node.byte);
      if (next == ByteAutomaton::kDead) {
        i = node.end;
        continue;
      }
      path[node.depth + size_t{1}] = next;
      visit(i, next);
      ++i;
    }
  }

  // Adds the tokens whose bytes a text can go on with.
  void AddAllowed(ByteAutomaton& automaton, ByteAutomaton::State state, TokenSet& to) const {
    Walk(automaton, state, [&](size_t i, ByteAutomaton::State) {
      for (const Token& token : TokensOf(i, i + 1)) to.Add(token.id);
    });
  }

  const Node& node(size_t index) const { return nodes_[index]; }
  // Of the nodes from `first` up to `end`.
  std::span<const Token> TokensOf(size_t first, size_t end) const {
    return std::span(tokens_).subspan(nodes_[first].first, nodes_[end].first - nodes_[first].first);
  }
  size_t bytes() const;  // of memory

 private:
  size_t size() const { return nodes_.size() - 1; }
  void Insert(uint32_t index, std::vector<uint32_t>& open);

  std::vector<Token> tokens_;  // sorted by their bytes
  std::vector<Node> nodes_;    // and one behind the last
  size_t deepest_ = 0;
};

// What the control token in the marks of tool calls is in grammars: a byte that no UTF-8 has. The
// token of the byte itself, which no text needs, is left out.
inline constexpr char kDsmlByte = '\xFF';

// The tokens of a tokenizer that stand for bytes, that control token among them. Made once; the
// tokenizer must outlive it.
struct Vocabulary {
  explicit Vocabulary(const Tokenizer& tokenizer);

  // The bytes of a token, as grammars have them.
  std::string_view BytesOf(int32_t id) const;

  const Tokenizer& tokenizer;
  size_t size;  // ids, of control tokens too
  TokenTrie trie;
};

}  // namespace cedar

#endif  // CEDAR_APP_TOKEN_TRIE_H_
