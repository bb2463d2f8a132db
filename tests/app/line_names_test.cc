#include "app/line_names.h"

#include <gtest/gtest.h>

#include <string>

namespace cedar {
namespace {

TEST(LineNamesTest, CountsThoseOfOneName) {
  LineNames names(4);
  EXPECT_EQ(names.Add("a"), 0u);
  EXPECT_EQ(names.Add("b"), 0u);
  EXPECT_EQ(names.Add("a"), 1u);
  EXPECT_EQ(names.Add("a"), 2u);
  EXPECT_EQ(names.Add(""), 0u);
  EXPECT_EQ(names.Add("b"), 1u);
}

TEST(LineNamesTest, MakesNamesThatAreFree) {
  LineNames names(4);
  EXPECT_EQ(names.AddUnnamed(1), "line-1");
  names.Add("line-2");
  EXPECT_EQ(names.AddUnnamed(2), "line-2.2");
  names.Add("line-3");
  names.Add("line-3.2");
  EXPECT_EQ(names.AddUnnamed(3), "line-3.3");
  EXPECT_EQ(names.Add("line-1"), 1u);
  EXPECT_EQ(names.Add("line-3.3"), 1u);
}

TEST(LineNamesTest, RemembersMoreThanItWasToldOf) {
  LineNames names(0);
  for (int i = 0; i < 10000; ++i) ASSERT_EQ(names.Add("line-" + std::to_string(i)), 0u) << i;
  for (int i = 0; i < 10000; ++i) ASSERT_EQ(names.Add("line-" + std::to_string(i)), 1u) << i;
}

TEST(LineNamesTest, ALineTakesAFewBytes) {
  EXPECT_LE(LineNames::BytesFor(1'000'000), 32u * 1'000'000 + 4096);
}

}  // namespace
}  // namespace cedar
