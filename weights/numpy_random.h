#ifndef CEDAR_WEIGHTS_NUMPY_RANDOM_H_
#define CEDAR_WEIGHTS_NUMPY_RANDOM_H_

// The random numbers of NumPy's default_rng(seed): the Engram multipliers of a model are drawn from
// them and are not in the checkpoint (model.md, Multipliers).

#include <cstdint>

namespace cedar {

class NumpyRandom {
 public:
  // SeedSequence, then PCG64.
  explicit NumpyRandom(uint32_t seed);

  // integers(0, bound, dtype=int64) for bound > 2^32; smaller bounds are drawn in another way
  // there.
  uint64_t Below(uint64_t bound);

 private:
  using Uint128 = unsigned __int128;

  void Step();
  uint64_t Next();

  Uint128 state_ = 0;
  Uint128 increment_ = 0;
};

}  // namespace cedar

#endif  // CEDAR_WEIGHTS_NUMPY_RANDOM_H_
