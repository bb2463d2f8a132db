#include "app/byte_automaton.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace cedar {
namespace {

size_t Mix(size_t digest, size_t value) {
  // Upper bits come down, so that tables of any size find them.
  digest = (digest ^ value) * 0x9e3779b97f4a7c15u;
  return digest ^ digest >> 32;
}

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

size_t ByteAutomaton::FrameDigest::operator()(const Frame& frame) const {
  const std::hash<const void*> digest;
  return Mix(Mix(digest(frame.node), frame.count), digest(frame.next));
}

ByteAutomaton::ByteAutomaton(const Grammar& grammar) {
  Expansion to;
  Expand(Push(grammar.root, 0, nullptr), to);
  start_ = Intern(std::move(to));
}

const ByteAutomaton::Frame* ByteAutomaton::Push(const GrammarNode* node, uint32_t count,
                                                const Frame* next) {
  return &*frames_.insert({node, count, next}).first;
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
    case GrammarNode::Kind::kMachine:
      if (RunOf(frame).Accepts(frame->count)) Expand(frame->next, to);
      if (FirstBytes(frame).any()) to.ways.push_back(frame);
      break;
  }
}

void ByteAutomaton::ExpandBehind(const Frame* way, uint8_t byte, Expansion& to) {
  if (way->node->kind == GrammarNode::Kind::kByte) {
    if (way->node->bytes[byte]) Expand(way->next, to);
    return;
  }
  const MachineRun::State next = RunOf(way).Step(way->count, byte);
  if (next != MachineRun::kDead) Expand(Push(way->node, next, way->next), to);
}

MachineRun& ByteAutomaton::RunOf(const Frame* frame) {
  std::unique_ptr<MachineRun>& run = runs_[frame->node];
  if (run == nullptr) run = frame->node->machine->NewRun();
  return *run;
}

ByteSet ByteAutomaton::FirstBytes(const Frame* way) {
  return way->node->kind == GrammarNode::Kind::kByte ? way->node->bytes
                                                     : RunOf(way).Next(way->count);
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
  constexpr size_t kPlace = 40;  // in a table by digests
  size_t of_machines = 0;
  for (const auto& [node, run] : runs_) of_machines += run->bytes();
  return of_machines + states_.size() * (sizeof(Known) + kPlace) + listed_ +
         frames_.size() * (sizeof(Frame) + kPlace);
}

ByteAutomaton::State ByteAutomaton::Intern(Expansion to) {
  Ways& ways = to.ways;
  const bool accepts = to.accepts;
  std::sort(ways.begin(), ways.end());
  ways.erase(std::unique(ways.begin(), ways.end()), ways.end());
  if (ways.empty() && !accepts) return kDead;
  size_t digest = accepts ? 1 : 0;
  for (const Frame* way : ways) digest = Mix(digest, std::hash<const void*>()(way));
  const auto [first, end] = ids_.equal_range(digest);
  for (auto it = first; it != end; ++it) {
    const Known& known = states_[static_cast<size_t>(it->second)];
    if (known.accepts == accepts && known.ways == ways) return it->second;
  }
  ways.shrink_to_fit();
  listed_ += ways.size() * sizeof(ways[0]);
  const State state = static_cast<State>(states_.size());
  states_.push_back({std::move(ways), {}, accepts});
  ids_.emplace(digest, state);
  return state;
}

ByteAutomaton::State ByteAutomaton::Step(State state, uint8_t byte) {
  Known& from = states_[static_cast<size_t>(state)];  // stays where it is as states are added
  const auto arc = std::lower_bound(from.arcs.begin(), from.arcs.end(), byte,
                                    [](const Arc& a, uint8_t sought) { return a.last < sought; });
  if (arc != from.arcs.end() && arc->first <= byte) return arc->next;
  Expansion to;
  for (const Frame* frame : from.ways) {
    ExpandBehind(frame, byte, to);
  }
  const State next = Intern(std::move(to));
  AddArcs(from, AlikeTo(byte, from.ways), next);
  return next;
}

ByteSet ByteAutomaton::AlikeTo(uint8_t byte, const Ways& ways) {
  ByteSet alike;
  alike.set();
  for (const Frame* frame : ways) {
    if (frame->node->kind == GrammarNode::Kind::kMachine) {
      alike &= RunOf(frame).AlikeTo(frame->count, byte);
    } else {
      const ByteSet& bytes = frame->node->bytes;
      alike &= bytes[byte] ? bytes : ~bytes;
    }
  }
  return alike;
}

void ByteAutomaton::AddArcs(Known& from, const ByteSet& bytes, State next) {
  const size_t before = from.arcs.capacity();
  for (size_t first = 0; first < bytes.size(); ++first) {
    if (!bytes[first]) continue;
    size_t last = first;
    while (last + 1 < bytes.size() && bytes[last + 1]) ++last;
    from.arcs.push_back({static_cast<uint8_t>(first), static_cast<uint8_t>(last), next});
    first = last;
  }
  std::sort(from.arcs.begin(), from.arcs.end(),
            [](const Arc& a, const Arc& b) { return a.first < b.first; });
  listed_ += (from.arcs.capacity() - before) * sizeof(Arc);
}

ByteSet ByteAutomaton::Next(State state) {
  ByteSet next;
  for (const Frame* frame : states_[static_cast<size_t>(state)].ways) next |= FirstBytes(frame);
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
