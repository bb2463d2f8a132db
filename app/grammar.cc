#include "app/grammar.h"

#include <algorithm>
#include <set>
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

namespace {

// Whether a node may match nothing; rules count as if they could not.
bool MayBeEmpty(const GrammarNode& node) {
  const auto empty = [](const GrammarNode* part) { return MayBeEmpty(*part); };
  switch (node.kind) {
    case GrammarNode::Kind::kSequence:
      return std::all_of(node.parts.begin(), node.parts.end(), empty);
    case GrammarNode::Kind::kChoice:
      return std::any_of(node.parts.begin(), node.parts.end(), empty);
    case GrammarNode::Kind::kRepeat:
      return node.least == 0;
    default:
      return false;
  }
}

// Finds rules that lead back to themselves. Each rule is followed once.
class LoopSearch {
 public:
  // Follows what may come first in a node.
  bool LoopsFrom(const GrammarNode& node) {
    if (node.kind == GrammarNode::Kind::kByte) return false;
    if (node.kind == GrammarNode::Kind::kRule) return LoopsFromRule(node);
    for (const GrammarNode* part : node.parts) {
      if (LoopsFrom(*part)) return true;
      if (node.kind == GrammarNode::Kind::kSequence && !MayBeEmpty(*part)) break;
    }
    return false;
  }

 private:
  bool LoopsFromRule(const GrammarNode& rule) {
    if (done_.contains(&rule)) return false;
    if (!open_.insert(&rule).second) return true;
    const bool loops = LoopsFrom(*rule.parts[0]);
    open_.erase(&rule);
    done_.insert(&rule);
    return loops;
  }

  std::set<const GrammarNode*> open_;  // the rules on the way here
  std::set<const GrammarNode*> done_;
};

}  // namespace

bool Grammar::HasEmptyLoop() const {
  LoopSearch search;
  return std::any_of(nodes_.begin(), nodes_.end(), [&](const std::unique_ptr<GrammarNode>& node) {
    return node->kind == GrammarNode::Kind::kRule && search.LoopsFrom(*node);
  });
}

GrammarNode* Grammar::DeclareRule() { return New(GrammarNode::Kind::kRule, {}); }

}  // namespace cedar
