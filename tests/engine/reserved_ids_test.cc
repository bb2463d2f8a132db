#include "engine/reserved_ids.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/weights/tokenizer_data.h"

namespace cedar {
namespace {

// By number, text.md, section D: 128000 to 128798 and 128847 to 129279.
TEST(ReservedIds, OfTheRelease) {
  std::vector<int32_t> expected;
  for (int32_t id = 128000; id <= 128798; ++id) expected.push_back(id);
  for (int32_t id = 128847; id <= 129279; ++id) expected.push_back(id);
  EXPECT_EQ(ReservedIds(RealTokenizer()), expected);
}

TEST(ReservedIds, TheDemoModelHasNone) {
  EXPECT_EQ(ReservedIds(DemoTokenizer()), std::vector<int32_t>());
}

// A token of the vocabulary that looks like one is text.
TEST(ReservedIds, OnlyControlTokens) {
  const Tokenizer tokenizer(SmallTokenizerJson({"<｜ref｜>"}, {}), "file");
  EXPECT_EQ(ReservedIds(tokenizer), std::vector<int32_t>());
}

}  // namespace
}  // namespace cedar
