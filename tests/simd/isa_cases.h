#ifndef CEDAR_TESTS_SIMD_ISA_CASES_H_
#define CEDAR_TESTS_SIMD_ISA_CASES_H_

// Tests that run once for each ISA: derive a fixture from IsaCase (or use it as it is), write
// TEST_P and say CEDAR_FOR_EACH_ISA(Fixture). An ISA that this CPU lacks is reported as skipped.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "simd/isa.h"
#include "simd/kernels.h"

namespace cedar::simd {

class IsaCase : public ::testing::TestWithParam<Isa> {
 protected:
  void SetUp() override {
    const std::vector<Isa> here = AvailableIsas();
    if (std::find(here.begin(), here.end(), GetParam()) == here.end()) {
      GTEST_SKIP() << "not on this CPU: " << IsaName(GetParam());
    }
  }

  // The kernels under test, and the truth.
  static const Kernels& Fast() { return KernelsFor(GetParam()); }
  static const Kernels& Truth() { return KernelsFor(Isa::kReference); }
};

inline std::string IsaCaseName(const ::testing::TestParamInfo<Isa>& info) {
  return std::string(IsaName(info.param));
}

}  // namespace cedar::simd

#define CEDAR_FOR_EACH_ISA(Fixture)                                               \
  INSTANTIATE_TEST_SUITE_P(Isa, Fixture, ::testing::ValuesIn(::cedar::AllIsas()), \
                           ::cedar::simd::IsaCaseName)

#endif  // CEDAR_TESTS_SIMD_ISA_CASES_H_
