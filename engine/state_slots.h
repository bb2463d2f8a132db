#ifndef CEDAR_ENGINE_STATE_SLOTS_H_
#define CEDAR_ENGINE_STATE_SLOTS_H_

// Room for the states of sequences and of kept prefixes (engine/snapshot.h): slots of one size,
// allocated at once, so that coming and going never changes how much memory is taken.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "simd/memory.h"

namespace cedar {

class StateSlots {
 public:
  // Their memory is taken up when they are first used. Throws Error (kModel) when it is not to be
  // had. slot_bytes: a multiple of what an Arena aligns to.
  StateSlots(size_t slot_bytes, size_t count);

  size_t capacity() const { return count_; }
  size_t free() const { return free_.size(); }
  size_t slot_bytes() const { return slot_bytes_; }

  uint8_t* Take();  // its content is left from earlier use. REQUIRES: free() > 0.
  void Release(uint8_t* slot) { free_.push_back(slot); }

 private:
  size_t slot_bytes_;
  size_t count_;
  simd::Memory memory_;
  std::vector<uint8_t*> free_;  // the next one to take is the last
};

}  // namespace cedar

#endif  // CEDAR_ENGINE_STATE_SLOTS_H_
