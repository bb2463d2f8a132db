#include "app/byte_automaton.h"

#include <algorithm>

namespace cedar {
namespace {

constexpr ByteAutomaton::State kUnknown = -2;

// The longest common tail of two lists.
template <class Frame>
const Frame* CommonTail(const Frame* a, const Frame* b) {
  const auto length = [](const Frame* frame) {
    size_t count = 0;
    for (; frame != nullptr; frame = frame->next) ++count;
    return count;
  };
  size_t of_a = length(a), of_b = length(b);
  for (; of_a > of_b; --of_a) a = a->next;
  for (; of_b > of_a; --of_b) b = b->next;
  for (; a != b; a = a->next) b = b->next;
  return a;
}

}  // namespace

ByteAutomaton::ByteAutomaton(const Grammar& grammar) {
  Expansion to;
  Expand(Push(grammar.root, 0, nullptr), to);
  start_ = Intern(std::move(to));
}

const ByteAutomaton::Frame* ByteAutomaton::Push(const GrammarNode* node, uint32_t count,
                                                const Frame* next) {
  std::unique_ptr<Frame>& frame = frames_[{node, count, next}];
  if (frame == nullptr) frame = std::make_unique<Frame>(Frame{node, count, next});
  return frame.get();
}

void ByteAutomaton::Expand(const Frame* frame, Expansion& to) {
  if (frame == nullptr) {
    to.accepts = true;
    return;
  }
  if (!to.seen.insert(frame).second) return;
  const GrammarNode& node = *frame->node;
  switch (node.kind) {
    case GrammarNode::Kind::kByte:
      to.ways.push_back(frame);
      break;
    case GrammarNode::Kind::kSequence: {
      const Frame* rest = frame->next;
      for (size_t i = node.parts.size(); i > 0; --i) rest = Push(node.parts[i - 1], 0, rest);
      Expand(rest, to);
      break;
    }
    case GrammarNode::Kind::kChoice:
      for (const GrammarNode* part : node.parts) {
        Expand(Push(part, 0, frame->next), to);
      }
      break;
    case GrammarNode::Kind::kRepeat:
      ExpandRepeat(frame, to);
      break;
    case GrammarNode::Kind::kRule:
      Expand(Push(node.parts[0], 0, frame->next), to);
      break;
  }
}

void ByteAutomaton::ExpandRepeat(const Frame* frame, Expansion& to) {
  const GrammarNode& node = *frame->node;
  if (frame->count >= node.least) Expand(frame->next, to);
  if (frame->count >= node.most) return;
  // Without an upper limit, counting stops at the lower one, so that the states stay few.
  const uint32_t count = node.most == GrammarNode::kNoLimit ? std::min(frame->count + 1, node.least)
                                                            : frame->count + 1;
  Expand(Push(node.parts[0], 0, Push(&node, count, frame->next)), to);
}

size_t ByteAutomaton::bytes() const {
  // A state is known by its ways, which stand twice; a frame by what it holds. Both are nodes of a
  // map.
  constexpr size_t kNode = 64;
  return states_.size() * (sizeof(Known) + kNode + 2 * sizeof(Ways)) +
         frames_.size() * (2 * sizeof(Frame) + kNode);
}

ByteAutomaton::State ByteAutomaton::Intern(Expansion to) {
  Ways& ways = to.ways;
  const bool accepts = to.accepts;
  std::sort(ways.begin(), ways.end());
  ways.erase(std::unique(ways.begin(), ways.end()), ways.end());
  if (ways.empty() && !accepts) return kDead;
  const auto [it, added] = ids_.try_emplace({ways, accepts}, static_cast<State>(states_.size()));
  if (added) {
    states_.push_back({std::move(ways), accepts, {}});
    states_.back().next.fill(kUnknown);
  }
  return it->second;
}

ByteAutomaton::State ByteAutomaton::Step(State state, uint8_t byte) {
  const size_t index = static_cast<size_t>(state);
  if (const State known = states_[index].next[byte]; known != kUnknown) return known;
  Expansion to;
  for (const Frame* frame : states_[index].ways) {
    if (frame->node->bytes[byte]) Expand(frame->next, to);
  }
  const State next = Intern(std::move(to));
  states_[index].next[byte] = next;
  return next;
}

ByteSet ByteAutomaton::Next(State state) const {
  ByteSet next;
  for (const Frame* frame : states_[static_cast<size_t>(state)].ways) next |= frame->node->bytes;
  return next;
}

std::optional<ByteAutomaton::Division> ByteAutomaton::Divide(State state) {
  const Ways ways = states_[static_cast<size_t>(state)].ways;
  if (ways.empty()) return std::nullopt;
  const Frame* common = ways[0]->next;
  for (const Frame* way : ways) common = CommonTail(common, way->next);
  if (common == nullptr) return std::nullopt;
  Expansion part, rest;
  for (const Frame* way : ways) part.ways.push_back(Until(common, way));
  Expand(common, rest);
  const Division division{Intern(std::move(part)), Intern(std::move(rest))};
  if (division.rest == kDead) return std::nullopt;
  return division;
}

const ByteAutomaton::Frame* ByteAutomaton::Until(const Frame* end, const Frame* frame) {
  if (frame == end) return nullptr;
  return Push(frame->node, frame->count, Until(end, frame->next));
}

}  // namespace cedar
