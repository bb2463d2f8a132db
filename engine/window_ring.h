#ifndef CEDAR_ENGINE_WINDOW_RING_H_
#define CEDAR_ENGINE_WINDOW_RING_H_

// The last rows of one layer's own KV (model.md, Attention: window rows), in their packed form.
// Position p lives in slot p % capacity. The ring may begin anew at any position: rows before a gap
// are forgotten, as bounded replay wants it.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "simd/error.h"

namespace cedar {

class WindowRing {
 public:
  WindowRing() = default;
  // rows: [capacity][row_bytes], owned by the sequence's arena.
  WindowRing(uint8_t* rows, size_t capacity, size_t row_bytes)
      : rows_(rows), capacity_(capacity), row_bytes_(row_bytes) {}

  // Positions [begin(), end()) were appended since the ring last began anew; the ring still holds
  // the last `capacity` of them.
  size_t begin() const { return begin_; }
  size_t end() const { return end_; }

  // REQUIRES: begin() <= position < end(), end() - position <= capacity.
  const uint8_t* Row(size_t position) const {
    CEDAR_CHECK(position >= begin_ && position < end_ && end_ - position <= capacity_);
    return rows_ + position % capacity_ * row_bytes_;
  }

  // Where a run of rows that starts at `position` makes the ring begin.
  size_t BeginAfter(size_t position) const { return position == end_ ? begin_ : position; }

  // rows: [count][row_bytes] of positions position, position + 1, ...
  void Append(size_t position, const uint8_t* rows, size_t count) {
    begin_ = BeginAfter(position);
    end_ = position + count;
    for (size_t i = count - std::min(count, capacity_); i < count; ++i) {
      std::memcpy(rows_ + (position + i) % capacity_ * row_bytes_, rows + i * row_bytes_,
                  row_bytes_);
    }
  }

  // Clears all rows; the next one is expected at `position`.
  void Clear(size_t position) { Reset(position, position); }
  // Claims that the memory holds the last rows of [begin, end).
  void Reset(size_t begin, size_t end) {
    begin_ = begin;
    end_ = end;
  }
  // All slots.
  std::span<uint8_t> memory() const { return {rows_, capacity_ * row_bytes_}; }

 private:
  uint8_t* rows_ = nullptr;
  size_t capacity_ = 0;
  size_t row_bytes_ = 0;
  size_t begin_ = 0;
  size_t end_ = 0;
};

}  // namespace cedar

#endif  // CEDAR_ENGINE_WINDOW_RING_H_
