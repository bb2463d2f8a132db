#include "app/line_names.h"

#include <algorithm>
#include <utility>

namespace cedar {
namespace {

constexpr size_t kLeastSlots = 64;

// Three quarters of the slots are used at most, so that a search ends soon.
size_t SlotsFor(size_t lines) { return std::max(kLeastSlots, lines + lines / 3 + 1); }

}  // namespace

LineNames::LineNames(size_t lines) : slots_(SlotsFor(lines)) {}

size_t LineNames::BytesFor(size_t lines) { return SlotsFor(lines) * sizeof(Slot); }

size_t LineNames::Add(std::string_view name) {
  if (4 * used_ >= 3 * slots_.size()) Grow();
  const PageKey key = KeyOf({reinterpret_cast<const uint8_t*>(name.data()), name.size()});
  Slot& slot = Find(key);
  if (slot.count == 0) {
    slot.key = key;
    ++used_;
  }
  return static_cast<size_t>(slot.count++);
}

std::string LineNames::AddUnnamed(size_t number) {
  const std::string name = "line-" + std::to_string(number);
  std::string free = name;
  for (size_t i = 2; Add(free) > 0; ++i) free = name + "." + std::to_string(i);
  return free;
}

LineNames::Slot& LineNames::Find(const PageKey& key) {
  size_t at = key.low % slots_.size();
  while (slots_[at].count > 0 && !(slots_[at].key == key)) at = (at + 1) % slots_.size();
  return slots_[at];
}

void LineNames::Grow() {
  std::vector<Slot> old(2 * slots_.size());
  old.swap(slots_);
  for (const Slot& slot : old) {
    if (slot.count > 0) Find(slot.key) = slot;
  }
}

}  // namespace cedar
