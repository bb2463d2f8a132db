#ifndef CEDAR_APP_BYTE_MACHINE_H_
#define CEDAR_APP_BYTE_MACHINE_H_

// Parts of a grammar that are not written out in nodes: automata over bytes whose states are made
// as texts reach them.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "app/byte_set.h"

namespace cedar {

// The states that one automaton has met. Not for two threads at once.
class MachineRun {
 public:
  using State = uint32_t;
  static constexpr State kStart = 0;
  static constexpr State kDead = ~State{0};

  virtual ~MachineRun() = default;

  // Whether a text may end here.
  virtual bool Accepts(State state) const = 0;
  // The state after one more byte; kDead if no text that goes on so ever ends.
  State Step(State state, uint8_t byte);
  // The bytes that may come next.
  ByteSet Next(State state);
  // The bytes that lead where this one leads.
  ByteSet AlikeTo(State state, uint8_t byte);

  size_t bytes() const;  // of memory, about

 protected:
  virtual State Find(State state, uint8_t byte) = 0;
  virtual size_t OwnBytes() const = 0;

 private:
  struct Arc {
    uint8_t first, last;
    State next;
  };
  using Arcs = std::vector<Arc>;  // ascending, to states that are not kDead

  const Arcs& ArcsOf(State state);

  std::deque<Arcs> arcs_;  // by state; empty: not found yet, or there are none
  std::vector<bool> found_;
  size_t listed_ = 0;  // arcs
};

class ByteMachine {
 public:
  virtual ~ByteMachine() = default;
  // It must not outlive the machine.
  virtual std::unique_ptr<MachineRun> NewRun() const = 0;
  virtual bool MayBeEmpty() const = 0;
  virtual size_t bytes() const = 0;  // of memory, about
};

}  // namespace cedar

#endif  // CEDAR_APP_BYTE_MACHINE_H_
