#ifndef CEDAR_APP_LINE_NAMES_H_
#define CEDAR_APP_LINE_NAMES_H_

// The names of the lines that came so far, each as a hash of 128 bits, so that a million lines cost
// the same whatever they are called.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/page_key.h"

namespace cedar {

class LineNames {
 public:
  // Makes room for so many lines at once; further ones make it grow.
  explicit LineNames(size_t lines);

  // How many lines of this name came before; it counts one more.
  size_t Add(std::string_view name);

  // The same for a line without a name, of which it makes one that none before it has: line-N, or
  // else the first of line-N.2, line-N.3 and so on.
  std::string AddUnnamed(size_t number);

  // Bytes that room for so many lines takes.
  static size_t BytesFor(size_t lines);

 private:
  struct Slot {
    PageKey key;
    uint64_t count = 0;  // 0: free
  };

  Slot& Find(const PageKey& key);
  void Grow();

  std::vector<Slot> slots_;  // open addressing
  size_t used_ = 0;
};

}  // namespace cedar

#endif  // CEDAR_APP_LINE_NAMES_H_
