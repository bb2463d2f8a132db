#include "app/grammar.h"

#include <algorithm>
#include <functional>
#include <set>
#include <string>
#include <utility>

#include "simd/error.h"
#include "simd/quantities.h"

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
    throw Error(ErrorKind::kInput, "schema: its grammar takes more than " + BytesText(most_bytes_) +
                                       ", the most that the memory plan has for grammars");
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

Grammar::Node Grammar::Include(std::unique_ptr<const Grammar> other) {
  bytes_ += other->bytes();
  return included_.emplace_back(std::move(other))->root;
}

Grammar::Node Grammar::FindMachine(const std::string& name) const {
  const auto known = named_.find(name);
  return known == named_.end() ? nullptr : known->second;
}

GrammarNode* Grammar::DeclareRule() {
  return New({.kind = GrammarNode::Kind::kRule, .bytes = {}, .parts = {}});
}

}  // namespace cedar
