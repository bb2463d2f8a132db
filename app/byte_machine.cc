#include "app/byte_machine.h"

#include <algorithm>

namespace cedar {

const MachineRun::Arcs& MachineRun::ArcsOf(State state) {
  if (state >= found_.size()) {
    arcs_.resize(state + size_t{1});
    found_.resize(state + size_t{1});
  }
  if (found_[state]) return arcs_[state];
  Arcs arcs;
  for (size_t value = 0; value < 256; ++value) {
    const uint8_t byte = static_cast<uint8_t>(value);
    const State next = Find(state, byte);
    if (next == kDead) continue;
    if (!arcs.empty() && arcs.back().next == next && arcs.back().last + 1 == byte) {
      arcs.back().last = byte;
    } else {
      arcs.push_back({byte, byte, next});
    }
  }
  arcs.shrink_to_fit();
  listed_ += arcs.size();
  found_[state] = true;
  return arcs_[state] = std::move(arcs);
}

MachineRun::State MachineRun::Step(State state, uint8_t byte) {
  const Arcs& arcs = ArcsOf(state);
  const auto arc = std::lower_bound(arcs.begin(), arcs.end(), byte,
                                    [](const Arc& a, uint8_t sought) { return a.last < sought; });
  return arc != arcs.end() && arc->first <= byte ? arc->next : kDead;
}

ByteSet MachineRun::Next(State state) {
  ByteSet next;
  for (const Arc& arc : ArcsOf(state)) {
    for (size_t byte = arc.first; byte <= arc.last; ++byte) next.set(byte);
  }
  return next;
}

ByteSet MachineRun::AlikeTo(State state, uint8_t byte) {
  const State target = Step(state, byte);
  if (target == kDead) return ~Next(state);
  ByteSet alike;
  for (const Arc& arc : ArcsOf(state)) {
    if (arc.next != target) continue;
    for (size_t value = arc.first; value <= arc.last; ++value) alike.set(value);
  }
  return alike;
}

size_t MachineRun::bytes() const {
  return arcs_.size() * sizeof(Arcs) + listed_ * sizeof(Arc) + OwnBytes();
}

}  // namespace cedar
