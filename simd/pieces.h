#ifndef CEDAR_SIMD_PIECES_H_
#define CEDAR_SIMD_PIECES_H_

// Deals out the pieces [0, n) of a round of work among threads, without locks: each thread has one
// part of them, which it takes upwards, and others may take from its end.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace cedar::simd {

class Pieces {
 public:
  // A round's number is larger than that of every earlier one (it may wrap around).
  using Round = uint32_t;

  static constexpr size_t kMost = 0xFFFF;  // of pieces in a round

  explicit Pieces(size_t threads) : parts_(threads) {}

  // The first piece that is left of the part of thread `owner`, or the last; none when nothing is
  // left or a later round has begun. May be called by any number of threads at once, and also by
  // one that comes long after the round is over. n <= kMost.
  std::optional<size_t> TakeFirst(Round round, size_t n, size_t owner);
  std::optional<size_t> TakeLast(Round round, size_t n, size_t owner);

 private:
  struct Part;
  struct alignas(64) Word {  // a cache line for each thread
    std::atomic<uint64_t> bits = 0;
  };

  Part PartOf(uint64_t bits, Round round, size_t n, size_t owner) const;
  std::optional<size_t> Take(Round round, size_t n, size_t owner, bool first);

  std::vector<Word> parts_;
};

}  // namespace cedar::simd

#endif  // CEDAR_SIMD_PIECES_H_
