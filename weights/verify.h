#ifndef CEDAR_WEIGHTS_VERIFY_H_
#define CEDAR_WEIGHTS_VERIFY_H_

// Reads a whole checkpoint and says what is wrong with it: files, tensors, values and sums.

#include <cstddef>
#include <string>
#include <vector>

#include "simd/workers.h"
#include "weights/known_sums.h"
#include "weights/load_weights.h"
#include "weights/model_files.h"

namespace cedar {

struct VerifyReport {
  std::vector<std::string> damages;  // messages, the first kMostDamages of them
  size_t damage_count = 0;
  size_t tensors = 0;                 // that the model needs and whose values were read
  size_t files = 0;                   // of weights that could be opened
  size_t bytes = 0;                   // of these
  size_t summed = 0;                  // files of the model whose sums are known, damaged or not
  std::vector<std::string> sources;   // of these sums
  std::vector<std::string> unsummed;  // files of weights without a known sum

  static constexpr size_t kMostDamages = 100;
};

// Each tensor that the config asks for must be there once, in a type and shape that fit, and hold
// no code that is no number (weights/bad_values.h); a file whose sum is known must have it. All
// threads read, each a file of its own where there are sums, in parts of megabytes that do not stay
// in the file cache unless they were there before; holes are taken for the zeros that they are.
// Throws Error for a config that cannot be read, and what `progress` throws.
VerifyReport Verify(const ModelFiles& files, const KnownSums& sums, const simd::Workers& workers,
                    const LoadProgress& progress);

}  // namespace cedar

#endif  // CEDAR_WEIGHTS_VERIFY_H_
