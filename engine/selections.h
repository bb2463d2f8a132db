#ifndef CEDAR_ENGINE_SELECTIONS_H_
#define CEDAR_ENGINE_SELECTIONS_H_

// Which compressed rows each row of a step attends to, and which blocks of rows are candidates for
// later selections (model.md, Selection). Made by index sources, read by the layers after them.

#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/arena.h"

namespace cedar {

// A list of at most `capacity` ascending indices for each of some places.
class IndexLists {
 public:
  IndexLists() = default;
  IndexLists(size_t places, size_t capacity, Arena& arena)
      : capacity_(capacity),
        counts_(arena.Take<size_t>(places)),
        indices_(arena.Take<int32_t>(places * capacity)) {}

  size_t capacity() const { return capacity_; }
  int32_t* Data(size_t place) { return indices_ + place * capacity_; }
  void SetCount(size_t place, size_t count) { counts_[place] = count; }
  std::span<const int32_t> operator[](size_t place) const {
    return {indices_ + place * capacity_, counts_[place]};
  }

 private:
  size_t capacity_ = 0;
  size_t* counts_ = nullptr;
  int32_t* indices_ = nullptr;
};

struct Selections {
  IndexLists rows;    // selected compressed rows
  IndexLists blocks;  // candidate blocks
};

}  // namespace cedar

#endif  // CEDAR_ENGINE_SELECTIONS_H_
