#include "app/long_run.h"

#include <algorithm>

namespace cedar {

bool IsLong(const KnownWork& work, uint64_t weights, uint64_t token) {
  if (work.answers == 0 || weights == 0) return false;
  constexpr double kReads = 512;
  const double together = static_cast<double>(std::clamp<size_t>(work.at_once, 1, work.answers));
  const double steps =
      static_cast<double>(work.answers) * static_cast<double>(work.tokens) / together;
  // Tokens of a step share what they read.
  const double share =
      std::min(1.0, together * static_cast<double>(token) / static_cast<double>(weights));
  return steps * share >= kReads;
}

}  // namespace cedar
