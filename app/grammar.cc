#include "app/grammar.h"

#include <algorithm>
#include <functional>
#include <set>
#include <string>
#include <utility>

#include "simd/error.h"

namespace cedar {
namespace {

size_t Mix(size_t digest, size_t value) { return (digest ^ value) * 0x100000001b3u; }

size_t DigestOf(const GrammarNode& node) {
  size_t digest = Mix(static_cast<size_t>(node.kind), std::hash<ByteSet>()(node.bytes));
  digest = Mix(Mix(digest, node.least), node.most);
  for (const GrammarNode* part : node.parts) digest = Mix(digest, std::hash<const void*>()(part));
  return digest;
}

bool SaysTheSame(const GrammarNode& a, const GrammarNode& b) {
  return a.kind == b.kind && a.least == b.least && a.most == b.most && a.bytes == b.bytes &&
         a.parts == b.parts;
}

}  // namespace

GrammarNode* Grammar::New(GrammarNode node) {
  constexpr size_t kPlace = 40;  // in shared_
  node.parts.shrink_to_fit();
  bytes_ += sizeof(node) + kPlace + node.parts.size() * sizeof(Node);
  if (bytes_ > most_bytes_) {
    throw Error(ErrorKind::kInput, "schema: its grammar takes more than " +
                                       std::to_string(most_bytes_) +
                                       " bytes, the most that the memory plan has for grammars");
  }
  return &nodes_.emplace_back(std::move(node));
}

Grammar::Node Grammar::Share(GrammarNode node) {
  const size_t digest = DigestOf(node);
  const auto [first, end] = shared_.equal_range(digest);
  const auto same =
      std::find_if(first, end, [&](const auto& entry) { return SaysTheSame(*entry.second, node); });
  if (same != end) return same->second;
  return shared_.emplace(digest, New(std::move(node)))->second;
}

Grammar::Node Grammar::Bytes(const ByteSet& set) {
  return Share({.kind = GrammarNode::Kind::kByte, .bytes = set, .parts = {}});
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
  return Share({.kind = GrammarNode::Kind::kSequence, .bytes = {}, .parts = std::move(parts)});
}

Grammar::Node Grammar::Choice(std::vector<Node> parts) {
  return Share({.kind = GrammarNode::Kind::kChoice, .bytes = {}, .parts = std::move(parts)});
}

Grammar::Node Grammar::Repeat(Node part, uint32_t least, uint32_t most) {
  return Share({.kind = GrammarNode::Kind::kRepeat,
                .least = least,
                .most = most,
                .bytes = {},
                .parts = {part}});
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
    case GrammarNode::Kind::kMachine:
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
  return std::any_of(nodes_.begin(), nodes_.end(), [&](const GrammarNode& node) {
    return node.kind == GrammarNode::Kind::kRule && search.LoopsFrom(node);
  });
}

Grammar::Node Grammar::Machine(const std::string& name,
                               std::unique_ptr<const ByteMachine> machine) {
  constexpr size_t kPlace = 80;  // in named_ and machines_
  bytes_ += machine->bytes() + name.size() + kPlace;
  const Node node = New({.kind = GrammarNode::Kind::kMachine,
                         .least = machine->MayBeEmpty() ? 0u : 1u,
                         .bytes = {},
                         .parts = {},
                         .machine = machine.get()});
  machines_.push_back(std::move(machine));
  return named_[name] = node;
}

Grammar::Node Grammar::FindMachine(const std::string& name) const {
  const auto known = named_.find(name);
  return known == named_.end() ? nullptr : known->second;
}

GrammarNode* Grammar::DeclareRule() {
  return New({.kind = GrammarNode::Kind::kRule, .bytes = {}, .parts = {}});
}

}  // namespace cedar
