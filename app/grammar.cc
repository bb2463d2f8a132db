#include "app/grammar.h"

#include <utility>

namespace cedar {

GrammarNode* Grammar::New(GrammarNode::Kind kind, std::vector<Node> parts) {
  nodes_.push_back(std::make_unique<GrammarNode>());
  nodes_.back()->kind = kind;
  nodes_.back()->parts = std::move(parts);
  return nodes_.back().get();
}

Grammar::Node Grammar::Bytes(const ByteSet& set) {
  GrammarNode* const node = New(GrammarNode::Kind::kByte, {});
  node->bytes = set;
  return node;
}

Grammar::Node Grammar::Range(uint8_t first, uint8_t last) {
  ByteSet set;
  for (size_t byte = first; byte <= last; ++byte) set.set(byte);
  return Bytes(set);
}

Grammar::Node Grammar::Literal(std::string_view text) {
  std::vector<Node> parts;
  for (const char c : text) {
    const uint8_t byte = static_cast<uint8_t>(c);
    parts.push_back(Range(byte, byte));
  }
  return Sequence(std::move(parts));
}

Grammar::Node Grammar::Sequence(std::vector<Node> parts) {
  return New(GrammarNode::Kind::kSequence, std::move(parts));
}

Grammar::Node Grammar::Choice(std::vector<Node> parts) {
  return New(GrammarNode::Kind::kChoice, std::move(parts));
}

Grammar::Node Grammar::Repeat(Node part, uint32_t least, uint32_t most) {
  GrammarNode* const node = New(GrammarNode::Kind::kRepeat, {part});
  node->least = least;
  node->most = most;
  return node;
}

GrammarNode* Grammar::DeclareRule() { return New(GrammarNode::Kind::kRule, {}); }

}  // namespace cedar
