// Which parts of a grammar some text ends, and what is left without the others.

#include <algorithm>

#include "app/grammar.h"

namespace cedar {

using Node = Grammar::Node;

Node Grammar::Prefer(Node wanted, Node otherwise) {
  GrammarNode* const rule = DeclareRule();
  rule->parts = {wanted};
  preferred_.emplace_back(rule, otherwise);
  return rule;
}

// Parts are made before what holds them, but for rules, so a few rounds find all.
std::unordered_set<Node> Grammar::FindEnding() const {
  std::unordered_set<Node> ending;
  const auto ends = [&](Node part) { return ending.contains(part); };
  const auto may_end = [&](const GrammarNode& node) {
    switch (node.kind) {
      case GrammarNode::Kind::kSequence:
      case GrammarNode::Kind::kRule:
        return std::all_of(node.parts.begin(), node.parts.end(), ends);
      case GrammarNode::Kind::kChoice:
        return std::any_of(node.parts.begin(), node.parts.end(), ends);
      case GrammarNode::Kind::kRepeat:
        return node.least == 0 || ends(node.parts[0]);
      default:
        return true;
    }
  };
  for (size_t before = 1; before != 0;) {
    before = ending.size();
    for (const GrammarNode& node : nodes_) {
      if (!ends(&node) && may_end(node)) ending.insert(&node);
    }
    before = ending.size() - before;
  }
  return ending;
}

std::unordered_set<Node> Grammar::Prune() {
  std::unordered_set<Node> ending = FindEnding();
  for (bool settled = false; !settled;) {
    settled = true;
    for (const auto& [rule, otherwise] : preferred_) {
      if (ending.contains(rule) || rule->parts[0] == otherwise) continue;
      rule->parts = {otherwise};
      settled = false;
    }
    if (!settled) ending = FindEnding();
  }
  std::unordered_set<Node> barren;
  for (GrammarNode& node : nodes_) {
    if (!ending.contains(&node)) barren.insert(&node);
    if (node.kind == GrammarNode::Kind::kChoice) {
      std::erase_if(node.parts, [&](Node part) { return !ending.contains(part); });
    } else if (node.kind == GrammarNode::Kind::kRepeat && !ending.contains(node.parts[0])) {
      // Of none it is the empty text.
      node.kind = GrammarNode::Kind::kSequence;
      node.parts.clear();
    }
  }
  return barren;
}

}  // namespace cedar
