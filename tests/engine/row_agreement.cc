#include "tests/engine/row_agreement.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iostream>

namespace cedar {
namespace {

double RootMeanSquare(std::span<const Bf16> x) {
  double sum = 0;
  for (const Bf16 v : x) sum += static_cast<double>(ToFloat(v)) * ToFloat(v);
  return std::sqrt(sum / static_cast<double>(x.size()));
}

// Between neighbouring bf16 values of this size: 7 bits stand after the leading one.
double Bf16Step(double magnitude) { return std::ldexp(1.0, std::ilogb(magnitude) - 7); }

}  // namespace

void RowAgreement::Add(std::span<const Bf16> ours, std::span<const Bf16> truth, bool same_codes) {
  ++rows_;
  if (!same_codes) return AddMovedRow(ours, truth);
  const double rms = RootMeanSquare(truth);
  for (size_t i = 0; i < truth.size(); ++i) {
    ++outputs_;
    const double a = ToFloat(ours[i]), b = ToFloat(truth[i]);
    equal_outputs_ += a == b;
    far_outputs_ += std::abs(a - b) > Bf16Step(std::max(std::abs(b), rms));
  }
}

void RowAgreement::AddMovedRow(std::span<const Bf16> ours, std::span<const Bf16> truth) {
  double sum = 0;
  for (size_t i = 0; i < truth.size(); ++i) {
    const double d = static_cast<double>(ToFloat(ours[i])) - ToFloat(truth[i]);
    sum += d * d;
  }
  const double rms = std::sqrt(sum / static_cast<double>(truth.size()));
  ++moved_rows_;
  worst_moved_ = std::max(worst_moved_, rms / RootMeanSquare(truth));
}

void RowAgreement::Check(const std::string& what) const {
  EXPECT_GT(outputs_, 0u) << what;
  EXPECT_LE(moved_rows_ * 10, rows_) << what << ": rows in which a quantised code differs";
  EXPECT_LT(worst_moved_, 0.02) << what;
  EXPECT_GE(equal_outputs_ * 1000, outputs_ * 995) << what;
  EXPECT_EQ(far_outputs_, 0u) << what;
  std::cout << what << ": " << moved_rows_ << " of " << rows_ << " rows moved, worst "
            << worst_moved_ << "; else " << outputs_ - equal_outputs_ << " of " << outputs_
            << " outputs differ\n";
}

}  // namespace cedar
