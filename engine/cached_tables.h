#ifndef CEDAR_ENGINE_CACHED_TABLES_H_
#define CEDAR_ENGINE_CACHED_TABLES_H_

// Whether it still pays to ask the kernel which rows of the Engram tables are in memory. A position
// of the release asks 96 times, and each time is a system call: for nothing, where the tables are
// in memory altogether. So the rule: when all rows of 64 positions one after the other were there,
// only each 16th position is asked for, until one of its rows is absent. Then all are again.
//
// Tables of which one row in a thousand is absent show one within 64 positions almost surely. What
// escapes costs a page fault now and then.

#include <cstddef>

namespace cedar {

class CachedTables {
 public:
  // Whether to ask for the next position.
  bool Asks() { return seen_ < kEnough || skipped_++ % kStride == kStride - 1; }

  // What came of asking for so many positions.
  void Note(size_t positions, size_t absent) {
    seen_ = absent > 0 ? 0 : seen_ + positions;
    if (absent > 0) skipped_ = 0;
  }

 private:
  static constexpr size_t kEnough = 64, kStride = 16;

  size_t seen_ = 0;     // positions whose rows were all there, since the last absent one
  size_t skipped_ = 0;  // positions since there are enough of these
};

}  // namespace cedar

#endif  // CEDAR_ENGINE_CACHED_TABLES_H_
