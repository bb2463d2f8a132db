#ifndef CEDAR_APP_MOMENTS_H_
#define CEDAR_APP_MOMENTS_H_

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace cedar {

// How values lie around their mean (by Welford's recurrence, which loses no digits).
class Moments {
 public:
  void Add(double value) {
    ++count_;
    const double before = value - mean_;
    mean_ += before / static_cast<double>(count_);
    squares_ += before * (value - mean_);
  }
  void Add(const Moments& others) {
    if (others.count_ == 0) return;
    const double of_ours = static_cast<double>(count_),
                 of_theirs = static_cast<double>(others.count_);
    const double apart = others.mean_ - mean_;
    count_ += others.count_;
    mean_ += apart * of_theirs / (of_ours + of_theirs);
    squares_ += others.squares_ + apart * apart * of_ours * of_theirs / (of_ours + of_theirs);
  }

  size_t count() const { return count_; }
  double mean() const { return mean_; }
  // The standard error of the mean; 0 of less than two values, which have no spread.
  double StandardError() const {
    if (count_ < 2) return 0;
    const double count = static_cast<double>(count_);
    return std::sqrt(std::max(squares_, 0.0) / (count - 1) / count);
  }

 private:
  size_t count_ = 0;
  double mean_ = 0;
  double squares_ = 0;  // sum of the squared distances from the mean
};

}  // namespace cedar

#endif  // CEDAR_APP_MOMENTS_H_
