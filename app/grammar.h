#ifndef CEDAR_APP_GRAMMAR_H_
#define CEDAR_APP_GRAMMAR_H_

// Grammars over bytes, as trees that share and may refer back to their parts. They say which texts
// an answer may be; app/byte_automaton.h runs them.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "app/byte_machine.h"
#include "app/byte_set.h"

namespace cedar {

struct GrammarNode {
  enum class Kind {
    kByte,      // one byte of `bytes`
    kSequence,  // all parts, in order
    kChoice,    // one of the parts
    kRepeat,    // parts[0], between `least` and `most` times; it never matches nothing
    kRule,      // parts[0]: a part that may be defined later, and so contain itself
    kMachine,   // a text of `machine`; it has one, but perhaps only the empty one (least is 0)
  };
  static constexpr uint32_t kNoLimit = ~uint32_t{0};

  Kind kind = Kind::kSequence;
  uint32_t least = 0;
  uint32_t most = kNoLimit;
  ByteSet bytes;
  std::vector<const GrammarNode*> parts;
  const ByteMachine* machine = nullptr;
};

// Makes nodes and owns them. Nodes that say the same are one node, but for rules: a schema of
// hundreds of integers has one integer.
class Grammar {
 public:
  using Node = const GrammarNode*;
  static constexpr size_t kAnySize = ~size_t{0};

  explicit Grammar(size_t most_bytes = kAnySize) : most_bytes_(most_bytes) {}

  // All that make nodes throw Error (kInput) when they would take more bytes than that.

  Node Bytes(const ByteSet& set);
  Node Range(uint8_t first, uint8_t last);
  Node Literal(std::string_view text);
  Node Sequence(std::vector<Node> parts);
  Node Choice(std::vector<Node> parts);
  Node Repeat(Node part, uint32_t least, uint32_t most = GrammarNode::kNoLimit);
  Node Optional(Node part) { return Choice({part, Sequence({})}); }
  // The machine's texts; a name stands for one machine in all of the grammar.
  Node Machine(const std::string& name, std::unique_ptr<const ByteMachine> machine);
  // The machine of that name; null if there is none yet.
  Node FindMachine(const std::string& name) const;
  // The root of another grammar, which becomes a part of this one.
  Node Include(std::unique_ptr<const Grammar> other);
  // A rule without its definition; it must get one before the grammar runs.
  GrammarNode* DeclareRule();

  // `wanted`, or `otherwise` if no text ends it (Prune finds out).
  Node Prefer(Node wanted, Node otherwise);
  // Takes out all choices that no text ends. Called once, when all nodes are made. Returns the
  // nodes that no text ends.
  std::unordered_set<Node> Prune();

  size_t bytes() const { return bytes_; }  // of memory, about

  Node root = nullptr;  // what a whole text is

 private:
  GrammarNode* New(GrammarNode node);
  // The node that says the same, made if there is none.
  Node Share(GrammarNode node);
  std::unordered_set<Node> FindEnding() const;

  std::deque<GrammarNode> nodes_;
  std::unordered_multimap<size_t, Node> shared_;  // by the digest of what they say
  std::vector<std::unique_ptr<const ByteMachine>> machines_;
  std::unordered_map<std::string, Node> named_;           // nodes of machines
  std::vector<std::pair<GrammarNode*, Node>> preferred_;  // rules, and what they are otherwise
  std::vector<std::unique_ptr<const Grammar>> included_;
  size_t most_bytes_;
  size_t bytes_ = 0;
};

}  // namespace cedar

#endif  // CEDAR_APP_GRAMMAR_H_
