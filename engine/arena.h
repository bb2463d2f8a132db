#ifndef CEDAR_ENGINE_ARENA_H_
#define CEDAR_ENGINE_ARENA_H_

// Hands out pieces of one block of memory. A layout function that takes an Arena runs twice: over a
// null block to count bytes, then over the real one, so that a plan and an allocation cannot
// differ.

#include <cstddef>
#include <cstdint>

namespace cedar {

class Arena {
 public:
  explicit Arena(uint8_t* base) : base_(base) {}

  // 64-byte aligned room for n values; null while counting.
  template <typename T>
  T* Take(size_t n) {
    uint8_t* const piece = base_ == nullptr ? nullptr : base_ + used_;
    used_ += (n * sizeof(T) + 63) / 64 * 64;
    return reinterpret_cast<T*>(piece);
  }

  size_t used() const { return used_; }

 private:
  uint8_t* base_;
  size_t used_ = 0;
};

}  // namespace cedar

#endif  // CEDAR_ENGINE_ARENA_H_
