#ifndef CEDAR_WEIGHTS_ENGRAM_HASH_H_
#define CEDAR_WEIGHTS_ENGRAM_HASH_H_

// Which rows of the Engram tables a position looks up (model.md, Engram): the hashes of the 2-, 3-,
// ... grams of compressed token ids that end there.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "weights/config.h"

namespace cedar {

class EngramHash {
 public:
  // config.layers is not empty. token_map: token id -> compressed id, as EngramTokenMap gives it;
  // one whose ids do not fill config.compressed_vocab classes is an Error (kModel) naming `file`.
  EngramHash(const EngramConfig& config, std::vector<int32_t> token_map, const std::string& file);

  // Rows that a position looks up in one table.
  size_t columns() const { return columns_; }

  // The rows [columns()] of the position that `history` ends with, in the table of
  // config.layers[engram]. history: token ids below the size of the map, not empty; only the last
  // max_ngram count, and a shorter one starts the sequence.
  void Rows(size_t engram, std::span<const int32_t> history, std::span<size_t> rows) const;

 private:
  struct Table {
    std::vector<uint64_t> multipliers;  // [max_ngram], by look-back
    std::vector<uint64_t> primes;       // [columns]: by n-gram size, then head
    std::vector<uint64_t> offsets;      // [columns]: where the rows of a column begin
  };

  size_t max_ngram_;
  size_t heads_;
  size_t columns_;
  std::vector<int32_t> token_map_;
  uint64_t pad_;  // compressed id before the first token
  std::vector<Table> tables_;
};

// The first `count` primes that are not below `floor`, ascending: they go round layers, n-gram
// sizes and heads, in this order.
std::vector<uint64_t> PrimesFrom(uint64_t floor, size_t count);

// The odd multipliers of a layer, one for each look-back (model.md, Multipliers).
std::vector<uint64_t> EngramMultipliers(int layer, size_t max_ngram, size_t compressed_vocab);

}  // namespace cedar

#endif  // CEDAR_WEIGHTS_ENGRAM_HASH_H_
