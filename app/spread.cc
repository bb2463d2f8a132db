#include "app/spread.h"

#include <algorithm>
#include <cmath>

namespace cedar {
namespace {

constexpr double kLeast = 1e-6;
const double kLogOfWidth = std::log(1.01);

}  // namespace

void Spread::Add(double seconds) {
  const double bin = seconds > kLeast ? std::log(seconds / kLeast) / kLogOfWidth : 0;
  ++counts_[static_cast<size_t>(std::min(bin, static_cast<double>(kBins - 1)))];
  ++total_;
}

double Spread::Percentile(double share) const {
  if (total_ == 0) return 0;
  const double wanted = share * static_cast<double>(total_ - 1);
  uint64_t below = 0;
  for (size_t bin = 0; bin < kBins; ++bin) {
    below += counts_[bin];
    if (static_cast<double>(below) > wanted) {
      return kLeast * std::exp((static_cast<double>(bin) + 0.5) * kLogOfWidth);
    }
  }
  return 0;  // not reached: all bins together hold the total
}

}  // namespace cedar
