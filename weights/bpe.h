#ifndef CEDAR_WEIGHTS_BPE_H_
#define CEDAR_WEIGHTS_BPE_H_

// Byte-pair encoding inside pieces of text (text.md, A.1): start from one token a byte, then merge
// the neighbouring pair of lowest rank, the leftmost first, until no pair of the table is left.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace cedar {

struct Merge {
  int32_t left;
  int32_t right;
  int32_t merged;
};

class Bpe {
 public:
  static constexpr int32_t kNoToken = -1;

  // byte_tokens: the token of each byte value, or kNoToken. merges: in order of rank; of a
  // pair that is listed twice the last rank counts, as in Hugging Face tokenizers.
  Bpe(const std::array<int32_t, 256>& byte_tokens, std::span<const Merge> merges);

  // Appends the ids of all pieces, in order; none merges with its neighbour. The time for a piece
  // of n bytes grows as n log n, and it takes some 30 bytes of memory for each. A byte
  // without a token is an Error (kInput) that names it. May be called from several threads at once.
  void Encode(std::span<const std::string_view> pieces, std::vector<int32_t>& ids) const;

 private:
  struct Slot {
    uint64_t pair;  // left << 32 | right
    int32_t rank;   // kNoRank in an empty slot
  };
  class Piece;

  int32_t TokenOf(char byte) const;
  // The rank of a pair, or kNoRank.
  int32_t Rank(int32_t left, int32_t right) const;
  // Where the pair is in the table, or the empty slot where it would go.
  size_t SlotOf(uint64_t pair) const;

  std::array<int32_t, 256> byte_tokens_;
  std::vector<int32_t> merged_;  // by rank
  std::vector<Slot> table_;      // pair to rank: open addressing, the size a power of two
};

}  // namespace cedar

#endif  // CEDAR_WEIGHTS_BPE_H_
