#include "app/text_input.h"

#include <gtest/gtest.h>

#include "simd/error.h"

namespace cedar {
namespace {

template <typename Call>
std::string InputError(Call call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kInput);
    return error.what();
  }
  return "";
}

TEST(TextInputTest, InvalidUtf8IsNamedByItsOffset) {
  EXPECT_EQ(InputError([] { CheckUtf8("fine: \xC3\xA4", "f.txt"); }), "");
  EXPECT_EQ(InputError([] { CheckUtf8("ab\xFFz", "f.txt"); }),
            "f.txt: byte 2: found 0xff, expected UTF-8");
  EXPECT_EQ(InputError([] { CheckUtf8("\xC3", "f.txt"); }),
            "f.txt: byte 0: found 0xc3, expected UTF-8");
}

TEST(TextInputTest, IdsAreSeparatedByAnyWhiteSpace) {
  EXPECT_EQ(ParseIds("1 2\n\n0\t4\r\n", "ids", 5), (std::vector<int32_t>{1, 2, 0, 4}));
}

TEST(TextInputTest, WhatIsNoIdIsNamedWithItsLine) {
  const auto error = [](const char* text) { return InputError([&] { ParseIds(text, "ids", 5); }); };
  const std::string expected = ", expected a token id from 0 to 4";
  EXPECT_EQ(error("1 2\n3 x4\n"), "ids: line 2: found \"x4\"" + expected);
  EXPECT_EQ(error("1,2"), "ids: line 1: found \"1,2\"" + expected);
  EXPECT_EQ(error("\n5"), "ids: line 2: found \"5\"" + expected);
  EXPECT_EQ(error("-1"), "ids: line 1: found \"-1\"" + expected);
  EXPECT_EQ(error("99999999999999999999"),
            "ids: line 1: found \"99999999999999999999\"" + expected);
  EXPECT_EQ(error(" \n"), "ids: empty, expected token ids");
}

TEST(TextInputTest, AFileThatIsNotThereIsNamed) {
  EXPECT_EQ(InputError([] { ReadFile("no/such/file"); }),
            "no/such/file: cannot open: No such file or directory");
  EXPECT_EQ(InputError([] { ReadFile("/"); }), "/: cannot read: Is a directory");
}

}  // namespace
}  // namespace cedar
