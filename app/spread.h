#ifndef CEDAR_APP_SPREAD_H_
#define CEDAR_APP_SPREAD_H_

// How times are spread, in memory that does not grow with their number.

#include <array>
#include <cstddef>
#include <cstdint>

namespace cedar {

class Spread {
 public:
  // Counts one more value; seconds, not negative.
  void Add(double seconds);

  // The value below which this share (0 to 1) of all values lies, within half a percent; values
  // below a microsecond or above 12 days count as these. 0 when there are none.
  double Percentile(double share) const;

 private:
  static constexpr size_t kBins = 2777;  // each 1 % wider than the one before, from 1e-6 to 1e6 s

  std::array<uint64_t, kBins> counts_{};
  uint64_t total_ = 0;
};

}  // namespace cedar

#endif  // CEDAR_APP_SPREAD_H_
