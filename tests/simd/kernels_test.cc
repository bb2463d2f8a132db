#include "simd/kernels.h"

#include <gtest/gtest.h>

#include "tests/simd/isa_cases.h"

namespace cedar::simd {
namespace {

using KernelsTest = IsaCase;

// Calls check(name, pointer in a, pointer in b) for every function of two tables.
template <typename Check>
void ForEachFunction(const Kernels& a, const Kernels& b, const Check& check) {
#define CEDAR_CHECK_FUNCTION(member) \
  check(#member, reinterpret_cast<void*>(a.member), reinterpret_cast<void*>(b.member))
  CEDAR_CHECK_FUNCTION(generated.packed_bytes);
  CEDAR_CHECK_FUNCTION(generated.pack);
  CEDAR_CHECK_FUNCTION(generated.multiply);
  CEDAR_CHECK_FUNCTION(generated.scratch_bytes);
  CEDAR_CHECK_FUNCTION(prompt.packed_bytes);
  CEDAR_CHECK_FUNCTION(prompt.pack);
  CEDAR_CHECK_FUNCTION(prompt.multiply);
  CEDAR_CHECK_FUNCTION(prompt.scratch_bytes);
  CEDAR_CHECK_FUNCTION(mix_dots);
  CEDAR_CHECK_FUNCTION(mix_finish);
  CEDAR_CHECK_FUNCTION(collapse);
  CEDAR_CHECK_FUNCTION(expand);
  CEDAR_CHECK_FUNCTION(rms_norm);
  CEDAR_CHECK_FUNCTION(rope);
  CEDAR_CHECK_FUNCTION(store_window_row);
  CEDAR_CHECK_FUNCTION(store_compressed_row);
  CEDAR_CHECK_FUNCTION(store_index_key);
  CEDAR_CHECK_FUNCTION(pool);
  CEDAR_CHECK_FUNCTION(attend_scratch_bytes);
  CEDAR_CHECK_FUNCTION(attend);
  CEDAR_CHECK_FUNCTION(index_scores);
  CEDAR_CHECK_FUNCTION(top_k);
  CEDAR_CHECK_FUNCTION(block_max);
  CEDAR_CHECK_FUNCTION(route);
  CEDAR_CHECK_FUNCTION(swiglu);
  CEDAR_CHECK_FUNCTION(sum_rows);
  CEDAR_CHECK_FUNCTION(decode_engram_row);
  CEDAR_CHECK_FUNCTION(engram_gate);
#undef CEDAR_CHECK_FUNCTION
}

TEST_P(KernelsTest, EveryEntryIsSetAndNoFastOneIsTheReferences) {
  EXPECT_NE(Fast().generated.name, nullptr);
  EXPECT_NE(Fast().prompt.name, nullptr);
  ForEachFunction(Fast(), Truth(), [](const char* name, void* fast, void* truth) {
    EXPECT_NE(fast, nullptr) << name;
    if (GetParam() != Isa::kReference) {
      EXPECT_NE(fast, truth) << name;
    }
  });
}

CEDAR_FOR_EACH_ISA(KernelsTest);

}  // namespace
}  // namespace cedar::simd
