#include "weights/engram_hash.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "simd/error.h"
#include "weights/model_error.h"
#include "weights/numpy_random.h"

namespace cedar {
namespace {

bool IsPrime(uint64_t n) {
  if (n < 2 || n % 2 == 0) return n == 2;
  for (uint64_t d = 3; d <= n / d; d += 2) {
    if (n % d == 0) return false;
  }
  return true;
}

void CheckTokenMap(const EngramConfig& config, const std::vector<int32_t>& map,
                   const std::string& file) {
  const std::string where = file + ": Engram token map";
  if (static_cast<size_t>(config.pad_token) >= map.size()) {
    RefuseModel(where, std::to_string(map.size()) + " tokens",
                "more than engram_pad_token_id (" + std::to_string(config.pad_token) + ")");
  }
  const size_t classes = static_cast<size_t>(*std::ranges::max_element(map)) + 1;
  if (classes != config.compressed_vocab) {
    RefuseModel(where, std::to_string(classes) + " classes",
                "engram_compressed_vocab_size (" + std::to_string(config.compressed_vocab) + ")");
  }
}

}  // namespace

EngramHash::EngramHash(const EngramConfig& config, std::vector<int32_t> token_map,
                       const std::string& file)
    : max_ngram_(config.max_ngram),
      heads_(config.heads),
      columns_(config.columns()),
      token_map_(std::move(token_map)) {
  CEDAR_CHECK(!config.layers.empty());
  CheckTokenMap(config, token_map_, file);
  pad_ = static_cast<uint64_t>(token_map_[config.pad_token]);
  const size_t count = config.layers.size() * columns_;
  const std::vector<uint64_t> primes = PrimesFrom(config.first_prime, count);
  for (size_t i = 0; i < config.layers.size(); ++i) {
    Table table;
    table.multipliers = EngramMultipliers(config.layers[i], max_ngram_, config.compressed_vocab);
    table.primes.assign(primes.begin() + i * columns_, primes.begin() + (i + 1) * columns_);
    uint64_t offset = 0;
    for (const uint64_t prime : table.primes) {
      table.offsets.push_back(offset);
      offset += prime;
    }
    tables_.push_back(std::move(table));
  }
}

void EngramHash::Rows(size_t engram, std::span<const int32_t> history,
                      std::span<size_t> rows) const {
  CEDAR_CHECK(!history.empty() && rows.size() == columns_);
  const Table& table = tables_[engram];
  // A compressed id times a multiplier stays below 2^63 (EngramMultipliers), so nothing wraps.
  uint64_t hash = 0;
  for (size_t back = 0; back < max_ngram_; ++back) {
    const bool inside = back < history.size();
    const uint64_t id =
        inside ? static_cast<uint64_t>(token_map_[history[history.size() - 1 - back]]) : pad_;
    hash ^= id * table.multipliers[back];
    if (back == 0) continue;  // no 1-grams
    const size_t first = (back - 1) * heads_;
    for (size_t column = first; column < first + heads_; ++column) {
      rows[column] = hash % table.primes[column] + table.offsets[column];
    }
  }
}

std::vector<uint64_t> PrimesFrom(uint64_t floor, size_t count) {
  std::vector<uint64_t> primes;
  for (uint64_t n = floor; primes.size() < count; ++n) {
    if (IsPrime(n)) primes.push_back(n);
  }
  return primes;
}

std::vector<uint64_t> EngramMultipliers(int layer, size_t max_ngram, size_t compressed_vocab) {
  constexpr uint64_t kLargest = std::numeric_limits<int64_t>::max();
  const uint64_t bound = std::max<uint64_t>(1, kLargest / compressed_vocab / 2);
  NumpyRandom random(10007u * static_cast<uint32_t>(layer));
  std::vector<uint64_t> multipliers;
  for (size_t back = 0; back < max_ngram; ++back) {
    multipliers.push_back(2 * random.Below(bound) + 1);
  }
  return multipliers;
}

}  // namespace cedar
