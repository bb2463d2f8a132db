#include "engine/rope.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace cedar {
namespace {

// The pair of channels whose wavelength fits `turns` times into the training length.
double PairOfTurns(double turns, size_t dim, double theta, const YarnScaling& yarn) {
  const double length = static_cast<double>(yarn.original_positions);
  return static_cast<double>(dim) * std::log(length / (turns * 2 * std::numbers::pi)) /
         (2 * std::log(theta));
}

// How much of a pair's frequency is divided by the factor: 0 for fast pairs, 1 for slow ones.
double Ramp(size_t pair, size_t dim, double theta, const YarnScaling& yarn) {
  const double low = std::max(std::floor(PairOfTurns(yarn.beta_fast, dim, theta, yarn)), 0.0);
  const double high = std::min(std::ceil(PairOfTurns(yarn.beta_slow, dim, theta, yarn)),
                               static_cast<double>(dim) - 1);
  return std::clamp((static_cast<double>(pair) - low) / std::max(high - low, 1e-3), 0.0, 1.0);
}

}  // namespace

Rope::Rope(size_t dim, double theta, const YarnScaling* yarn) {
  for (size_t pair = 0; pair < dim / 2; ++pair) {
    double f = 1.0 / std::pow(theta, static_cast<double>(2 * pair) / static_cast<double>(dim));
    if (yarn != nullptr) {
      const double ramp = Ramp(pair, dim, theta, *yarn);
      f = f / yarn->factor * ramp + f * (1 - ramp);
    }
    frequency_.push_back(static_cast<float>(f));
  }
}

void Rope::Angles(size_t position, float* cos, float* sin) const {
  for (size_t i = 0; i < frequency_.size(); ++i) {
    const double angle = static_cast<float>(position) * frequency_[i];
    cos[i] = static_cast<float>(std::cos(angle));
    sin[i] = static_cast<float>(std::sin(angle));
  }
}

}  // namespace cedar
