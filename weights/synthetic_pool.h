#ifndef CEDAR_WEIGHTS_SYNTHETIC_POOL_H_
#define CEDAR_WEIGHTS_SYNTHETIC_POOL_H_

// A stock of random values in one storage format. Tensors are cut from it at random places, so that
// writing hundreds of gigabytes costs copies, not random numbers.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "weights/random.h"
#include "weights/synthetic_tensors.h"

namespace cedar {

class SyntheticPool {
 public:
  // For tensors of this one's kind, spread and width.
  SyntheticPool(const SyntheticTensor& tensor, Random& random);

  // Where in the pool a strip of a tensor is cut: 32 rows of kFp8, one row of the others.
  size_t Cut(size_t cols, Random& random) const;
  // The strip's weights, `rows` of `cols` values, and its scales.
  void CopyWeights(size_t cut, size_t rows, size_t cols, uint8_t* out) const;
  void CopyScales(size_t cut, size_t cols, uint8_t* out) const;

 private:
  void MakePlain(Random& random);
  void MakeBlocks(Random& random);

  TensorKind kind_;
  Spread spread_;
  size_t units_;                  // values of plain kinds, else blocks that share a scale
  size_t unit_bytes_;             // of weights
  std::vector<uint8_t> weights_;  // [units][unit_bytes]
  std::vector<uint8_t> scales_;   // [units], empty for plain kinds
};

}  // namespace cedar

#endif  // CEDAR_WEIGHTS_SYNTHETIC_POOL_H_
