#ifndef CEDAR_WEIGHTS_RANDOM_H_
#define CEDAR_WEIGHTS_RANDOM_H_

// Random numbers that are the same on every machine and with every standard library.

#include <cstdint>

namespace cedar {

// SplitMix64 (Steele, Lea and Flood, 2014): a counter that takes odd steps, and a mixer of its
// bits.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}

  uint64_t Next() {
    state_ += 0x9E3779B97F4A7C15u;
    uint64_t x = state_;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return x ^ (x >> 31);
  }

  // Uniform in [0, 1), a multiple of 2^-53.
  double NextUnit() { return static_cast<double>(Next() >> 11) * 0x1p-53; }

 private:
  uint64_t state_;
};

}  // namespace cedar

#endif  // CEDAR_WEIGHTS_RANDOM_H_
