#include "engine/state_slots.h"

#include "simd/error.h"

namespace cedar {

StateSlots::StateSlots(size_t slot_bytes, size_t count)
    : slot_bytes_(slot_bytes), count_(count), memory_(count * slot_bytes, "states of sequences") {
  free_.reserve(count);
  for (size_t i = count; i > 0; --i) free_.push_back(memory_.data() + (i - 1) * slot_bytes);
}

uint8_t* StateSlots::Take() {
  CEDAR_CHECK(!free_.empty());
  uint8_t* const slot = free_.back();
  free_.pop_back();
  return slot;
}

}  // namespace cedar
