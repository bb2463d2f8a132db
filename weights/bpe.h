#ifndef CEDAR_WEIGHTS_BPE_H_
#define CEDAR_WEIGHTS_BPE_H_

// Byte-pair encoding of one piece (text.md, A.1): start from one token a byte, then merge the
// neighbouring pair of lowest rank, the leftmost first, until no pair of the table is left.

#include <array>
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

  // byte_tokens: the token of each byte value, or kNoToken. merges: in order of rank; no pair twice.
  Bpe(const std::array<int32_t, 256>& byte_tokens, std::span<const Merge> merges);

  // Appends the ids of `piece` to `ids`. Time grows as n log n. A byte without a token is an Error
  // (kInput) that names it. May be called from several threads at once.
  void Encode(std::string_view piece, std::vector<int32_t>& ids) const;

 private:
  struct Entry {
    uint64_t pair;    // left << 32 | right
    int32_t rank;     // kNoRank in an empty slot
    int32_t merged;
  };

  // The entry of the pair, or nullptr.
  const Entry* Find(int32_t left, int32_t right) const;

  std::array<int32_t, 256> byte_tokens_;
  std::vector<Entry> table_;  // open addressing, size a power of two
};

}  // namespace cedar

#endif  // CEDAR_WEIGHTS_BPE_H_
