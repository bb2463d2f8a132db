#include "simd/error.h"

#include <gtest/gtest.h>

#include <string>

namespace cedar {
namespace {

TEST(ErrorTest, CarriesKindAndMessage) {
  try {
    throw Error(ErrorKind::kModel, "config.json: hidden_size: found -1, expected 1 or more");
  } catch (const std::exception& error) {
    EXPECT_EQ(std::string(error.what()), "config.json: hidden_size: found -1, expected 1 or more");
    const Error* typed = dynamic_cast<const Error*>(&error);
    ASSERT_NE(typed, nullptr);
    EXPECT_EQ(typed->kind(), ErrorKind::kModel);
  }
}

TEST(ErrorDeathTest, ABrokenPromiseNamesItselfAndAborts) {
  const int found = 3;
  EXPECT_DEATH(CEDAR_CHECK(found == 4), "error_test.cc:[0-9]+: broken promise: found == 4");
}

TEST(ErrorTest, AKeptPromiseCostsNothing) {
  int calls = 0;
  CEDAR_CHECK(++calls == 1);
  EXPECT_EQ(calls, 1);  // evaluated exactly once, in release builds too
}

}  // namespace
}  // namespace cedar
