#ifndef CEDAR_APP_BYTE_AUTOMATON_H_
#define CEDAR_APP_BYTE_AUTOMATON_H_

// Runs a grammar byte by byte. A state is the set of all ways in which the text so far can go on;
// states and the steps between them are made when they are first met, and remembered.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "app/grammar.h"

namespace cedar {

class ByteAutomaton {
 public:
  using State = int32_t;
  static constexpr State kDead = -1;  // no text goes on from here

  // The grammar must outlive the automaton.
  explicit ByteAutomaton(const Grammar& grammar);

  State start() const { return start_; }
  // The state after one more byte; kDead if it is not allowed. state is not kDead.
  State Step(State state, uint8_t byte);
  // Whether the text may end here.
  bool Accepts(State state) const { return states_[static_cast<size_t>(state)].accepts; }
  // The bytes that may come next.
  ByteSet Next(State state);

  // A state in two: every text that goes on from it is one from `part`, up to an end that `part`
  // accepts, and then one from `rest`.
  struct Division {
    State part, rest;
  };
  // The division with the shortest part; none if its ways have nothing in common behind their first
  // byte. States inside of one string rule have one part, wherever in a text they are.
  std::optional<Division> Divide(State state);

  size_t states() const { return states_.size(); }
  size_t bytes() const;  // of memory, about

 private:
  // What is still to come: a list of nodes, shared between lists with the same tail.
  struct Frame {
    const GrammarNode* node;
    // How often a kRepeat has matched, as far as it matters; a kMachine's state.
    uint32_t count;
    const Frame* next;
    bool operator==(const Frame&) const = default;
  };
  struct FrameDigest {
    size_t operator()(const Frame& frame) const;
  };
  using Ways = std::vector<const Frame*>;  // ascending; each begins with a kByte or a kMachine

  // Neighbouring bytes that lead to the same state.
  struct Arc {
    uint8_t first, last;
    State next;
  };
  struct Known {
    Ways ways;
    std::vector<Arc> arcs;  // ascending, of bytes that were asked for and those that go with them
    bool accepts;
  };

  const Frame* Push(const GrammarNode* node, uint32_t count, const Frame* next);
  // What a text may go on with.
  struct Expansion {
    Ways ways;
    bool accepts = false;
    std::unordered_set<const Frame*> seen;  // each frame is expanded once
  };

  // Adds all ways to go on from `frame` whose next step is a byte, or the end.
  void Expand(const Frame* frame, Expansion& to);
  void ExpandRepeat(const Frame* frame, Expansion& to);
  // The same for a way and the byte that it goes on with; nothing if it does not.
  void ExpandBehind(const Frame* way, uint8_t byte, Expansion& to);
  // What the machine of a frame has met.
  MachineRun& RunOf(const Frame* frame);
  // The bytes that a way may go on with.
  ByteSet FirstBytes(const Frame* way);
  // The list up to `end`, which is a tail of it.
  const Frame* Until(const Frame* end, const Frame* frame);
  State Intern(Expansion to);
  // The bytes that go on in the same ways as this one.
  ByteSet AlikeTo(uint8_t byte, const Ways& ways);
  void AddArcs(Known& from, const ByteSet& bytes, State next);

  std::unordered_set<Frame, FrameDigest> frames_;
  std::unordered_map<const GrammarNode*, std::unique_ptr<MachineRun>> runs_;
  std::unordered_multimap<size_t, State> ids_;  // by the digest of their ways
  std::deque<Known> states_;
  size_t listed_ = 0;  // bytes of all lists of ways and arcs
  State start_;
};

}  // namespace cedar

#endif  // CEDAR_APP_BYTE_AUTOMATON_H_
