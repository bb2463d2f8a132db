#include "simd/pieces.h"

#include <bit>

#include "simd/error.h"

namespace cedar::simd {

// What is left of a thread's part: pieces [begin, end) of a round.
struct Pieces::Part {
  Round round;
  uint16_t begin, end;
};

// A part that still belongs to an earlier round stands for the whole one of this round: so nobody
// has to touch the parts of all threads when a round begins.
Pieces::Part Pieces::PartOf(uint64_t bits, Round round, size_t n, size_t owner) const {
  const Part part = std::bit_cast<Part>(bits);
  if (static_cast<int32_t>(part.round - round) >= 0) return part;
  const size_t threads = parts_.size();
  return {round, static_cast<uint16_t>(n * owner / threads),
          static_cast<uint16_t>(n * (owner + 1) / threads)};
}

std::optional<size_t> Pieces::Take(Round round, size_t n, size_t owner, bool first) {
  CEDAR_CHECK(n <= kMost);
  std::atomic<uint64_t>& word = parts_[owner].bits;
  uint64_t bits = word.load(std::memory_order_relaxed);
  for (;;) {
    Part part = PartOf(bits, round, n, owner);
    if (part.round != round) return std::nullopt;
    const bool empty = part.begin == part.end;
    const size_t piece = empty ? 0 : first ? part.begin++ : --part.end;
    // An empty part is written too: none may stay behind for so many rounds that numbers wrap.
    const uint64_t left = std::bit_cast<uint64_t>(part);
    if (left == bits || word.compare_exchange_weak(bits, left, std::memory_order_relaxed)) {
      return empty ? std::nullopt : std::optional<size_t>(piece);
    }
  }
}

std::optional<size_t> Pieces::TakeFirst(Round round, size_t n, size_t owner) {
  return Take(round, n, owner, true);
}

std::optional<size_t> Pieces::TakeLast(Round round, size_t n, size_t owner) {
  return Take(round, n, owner, false);
}

}  // namespace cedar::simd
