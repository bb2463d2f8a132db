#include "weights/numpy_random.h"

#include <array>
#include <bit>

#include "simd/error.h"

namespace cedar {
namespace {

// SeedSequence: hashes a seed into four words, mixes each into each other, and hashes these into
// the eight words from which a generator starts.
class SeedSequence {
 public:
  explicit SeedSequence(uint32_t seed) {
    for (size_t i = 0; i < pool_.size(); ++i) pool_[i] = Hash(i == 0 ? seed : 0);
    for (size_t from = 0; from < pool_.size(); ++from) {
      for (size_t to = 0; to < pool_.size(); ++to) {
        if (to == from) continue;
        const uint32_t mixed = 0xca01f9dd * pool_[to] - 0x4973f715 * Hash(pool_[from]);
        pool_[to] = mixed ^ (mixed >> 16);
      }
    }
  }

  std::array<uint64_t, 4> Generate() const {
    std::array<uint64_t, 4> words{};
    uint32_t factor = 0x8b51f9dd;
    for (size_t i = 0; i < 8; ++i) {
      uint32_t word = pool_[i % 4] ^ factor;
      factor *= 0x58f38ded;
      word *= factor;
      word ^= word >> 16;
      words[i / 2] |= uint64_t{word} << (32 * (i % 2));
    }
    return words;
  }

 private:
  uint32_t Hash(uint32_t value) {
    value ^= factor_;
    factor_ *= 0x931e8875;
    value *= factor_;
    return value ^ (value >> 16);
  }

  uint32_t factor_ = 0x43b0d7e5;
  std::array<uint32_t, 4> pool_{};
};

}  // namespace

NumpyRandom::NumpyRandom(uint32_t seed) {
  const std::array<uint64_t, 4> words = SeedSequence(seed).Generate();
  increment_ = (Uint128{words[2]} << 64 | words[3]) << 1 | 1;
  Step();
  state_ += Uint128{words[0]} << 64 | words[1];
  Step();
}

void NumpyRandom::Step() {
  constexpr Uint128 kFactor = Uint128{0x2360ed051fc65da4} << 64 | 0x4385df649fccf645;
  state_ = state_ * kFactor + increment_;
}

uint64_t NumpyRandom::Next() {
  Step();
  const uint64_t high = static_cast<uint64_t>(state_ >> 64);
  const uint64_t low = static_cast<uint64_t>(state_);
  return std::rotr(high ^ low, static_cast<int>(state_ >> 122));
}

// The high half of a product is uniform once products with a low half below 2^64 mod bound, which
// would favour some results, are drawn again.
uint64_t NumpyRandom::Below(uint64_t bound) {
  CEDAR_CHECK(bound > uint64_t{1} << 32);
  const uint64_t biased = (0 - bound) % bound;
  while (true) {
    const Uint128 product = Uint128{Next()} * bound;
    if (static_cast<uint64_t>(product) >= biased) return static_cast<uint64_t>(product >> 64);
  }
}

}  // namespace cedar
