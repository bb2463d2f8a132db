#ifndef CEDAR_ENGINE_ROPE_H_
#define CEDAR_ENGINE_ROPE_H_

// Rotary angles (model.md, Attention): theta with or without YaRN. Frequencies are made in double
// and rounded once to fp32; an angle is position * frequency in fp32; cos and sin are rounded to
// fp32.

#include <cstddef>
#include <vector>

#include "weights/config.h"

namespace cedar {

class Rope {
 public:
  // dim: rotated channels, even. yarn: null for none.
  Rope(size_t dim, double theta, const YarnScaling* yarn);

  size_t dim() const { return 2 * frequency_.size(); }

  // cos, sin: [dim / 2].
  void Angles(size_t position, float* cos, float* sin) const;

 private:
  std::vector<float> frequency_;  // [dim / 2]
};

}  // namespace cedar

#endif  // CEDAR_ENGINE_ROPE_H_
