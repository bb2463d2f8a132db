#ifndef CEDAR_TESTS_SIMD_ROUNDED_ROWS_H_
#define CEDAR_TESTS_SIMD_ROUNDED_ROWS_H_

// How a bf16 row that was summed in fp32 is compared with the reference's.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "tests/simd/hard_rows.h"

namespace cedar::simd {

inline constexpr double kFloatRounding = 0x1p-24;  // relative error of one fp32 operation

// bounds[i]: how far the two results may lie apart before they are rounded to bf16. Rounding can
// then part them by one step more, if a midpoint lies between; that is rare: fewer than
// `unequal_share` of the elements may differ at all.
inline void ExpectRounded(const Row& got, const Row& expected, const std::vector<double>& bounds,
                          double unequal_share) {
  ASSERT_EQ(got.size(), expected.size());
  size_t unequal = 0;
  for (size_t i = 0; i < got.size(); ++i) {
    if (got[i].bits == expected[i].bits) continue;
    ++unequal;
    const double a = ToFloat(got[i]), b = ToFloat(expected[i]);
    const double step = Bf16Step(std::max(std::fabs(a), std::fabs(b)));
    ASSERT_LE(std::fabs(a - b), bounds[i] + step) << "element " << i << ": " << a << ", not " << b;
  }
  EXPECT_LE(static_cast<double>(unequal), unequal_share * static_cast<double>(got.size()));
}

}  // namespace cedar::simd

#endif  // CEDAR_TESTS_SIMD_ROUNDED_ROWS_H_
