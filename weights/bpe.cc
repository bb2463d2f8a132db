#include "weights/bpe.h"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <functional>
#include <limits>
#include <string>

#include "simd/error.h"

namespace cedar {
namespace {

constexpr int32_t kNoRank = -1;
constexpr uint32_t kNone = std::numeric_limits<uint32_t>::max();

uint64_t PairKey(int32_t left, int32_t right) {
  return static_cast<uint64_t>(static_cast<uint32_t>(left)) << 32 | static_cast<uint32_t>(right);
}

// Spreads the bits of a pair over the table (the finaliser of SplitMix64).
uint64_t Hash(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

[[noreturn]] void ThrowNoToken(uint8_t byte) {
  char hex[8];
  std::snprintf(hex, sizeof hex, "0x%02X", byte);
  throw Error(ErrorKind::kInput, "text: the tokenizer has no token for the byte " +
                                     std::string(hex) + ", which the text contains");
}

}  // namespace

// The merging of one piece: its tokens as a linked list, and a heap of the pairs that may merge.
// A heap entry is out of date, and skipped, when the pair at its position has another rank by now.
class Bpe::Piece {
 public:
  explicit Piece(const Bpe& bpe) : bpe_(bpe) {}

  // Appends the ids of `piece` to `ids`. One Piece serves many pieces, to reuse its memory.
  void Encode(std::string_view piece, std::vector<int32_t>& ids) {
    Start(piece);
    while (!heap_.empty()) {
      std::pop_heap(heap_.begin(), heap_.end(), std::greater<>());
      const uint64_t best = heap_.back();
      heap_.pop_back();
      const auto at = static_cast<uint32_t>(best);
      if (tokens_[at].rank == static_cast<int32_t>(best >> 32)) MergeAt(at);
    }
    for (uint32_t at = 0; at != kNone; at = tokens_[at].next) ids.push_back(tokens_[at].id);
  }

 private:
  struct Token {
    int32_t id;
    int32_t rank;  // of the pair that this token and the next make; kNoRank once merged away
    uint32_t previous;
    uint32_t next;
  };

  void Start(std::string_view piece) {
    CEDAR_CHECK(!piece.empty() && piece.size() < kNone);
    const auto size = static_cast<uint32_t>(piece.size());
    tokens_.resize(size);
    heap_.reserve(size);
    for (uint32_t i = 0; i < size; ++i) {
      tokens_[i] = {bpe_.TokenOf(piece[i]), kNoRank, i == 0 ? kNone : i - 1,
                    i + 1 == size ? kNone : i + 1};
    }
    for (uint32_t i = 0; i < size; ++i) UpdatePair(i);
  }

  // Looks up the pair that starts at `at` and offers it to the heap. Rank above, position below:
  // the smallest entry is the lowest rank, and of one rank the leftmost.
  void UpdatePair(uint32_t at) {
    Token& token = tokens_[at];
    token.rank = token.next == kNone ? kNoRank : bpe_.Rank(token.id, tokens_[token.next].id);
    if (token.rank == kNoRank) return;
    heap_.push_back(static_cast<uint64_t>(token.rank) << 32 | at);
    std::push_heap(heap_.begin(), heap_.end(), std::greater<>());
  }

  void MergeAt(uint32_t at) {
    Token& left = tokens_[at];
    Token& right = tokens_[left.next];
    left.id = bpe_.merged_[left.rank];
    left.next = right.next;
    right.rank = kNoRank;
    if (left.next != kNone) tokens_[left.next].previous = at;
    UpdatePair(at);
    if (left.previous != kNone) UpdatePair(left.previous);
  }

  const Bpe& bpe_;
  std::vector<Token> tokens_;
  std::vector<uint64_t> heap_;  // rank << 32 | position; empty between pieces
};

Bpe::Bpe(const std::array<int32_t, 256>& byte_tokens, std::span<const Merge> merges)
    : byte_tokens_(byte_tokens),
      // At most half full, and never without an empty slot.
      table_(std::bit_ceil(2 * merges.size() + 1), Slot{0, kNoRank}) {
  merged_.reserve(merges.size());
  for (const Merge& merge : merges) {
    const uint64_t pair = PairKey(merge.left, merge.right);
    table_[SlotOf(pair)] = {pair, static_cast<int32_t>(merged_.size())};
    merged_.push_back(merge.merged);
  }
}

void Bpe::Encode(std::span<const std::string_view> pieces, std::vector<int32_t>& ids) const {
  Piece scratch(*this);
  for (const std::string_view piece : pieces) scratch.Encode(piece, ids);
}

int32_t Bpe::TokenOf(char byte) const {
  const auto value = static_cast<uint8_t>(byte);
  if (byte_tokens_[value] == kNoToken) ThrowNoToken(value);
  return byte_tokens_[value];
}

int32_t Bpe::Rank(int32_t left, int32_t right) const {
  return table_[SlotOf(PairKey(left, right))].rank;
}

size_t Bpe::SlotOf(uint64_t pair) const {
  const size_t mask = table_.size() - 1;
  size_t at = Hash(pair) & mask;
  while (table_[at].rank != kNoRank && table_[at].pair != pair) at = (at + 1) & mask;
  return at;
}

}  // namespace cedar
