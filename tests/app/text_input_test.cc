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
  EXPECT_EQ(ParseIds("1 2\n\n3\t4\r\n", "ids"), (std::vector<int32_t>{1, 2, 3, 4}));
  EXPECT_EQ(ParseIds("-1 2147483647", "ids"), (std::vector<int32_t>{-1, 2147483647}));
}

TEST(TextInputTest, WhatIsNoIdIsNamedWithItsLine) {
  EXPECT_EQ(InputError([] { ParseIds("1 2\n3 x4\n", "ids"); }),
            "ids: line 2: found \"x4\", expected a token id");
  EXPECT_EQ(InputError([] { ParseIds("1,2", "ids"); }),
            "ids: line 1: found \"1,2\", expected a token id");
  EXPECT_EQ(InputError([] { ParseIds("2147483648", "ids"); }),
            "ids: line 1: found \"2147483648\", expected a token id");
  EXPECT_EQ(InputError([] { ParseIds(" \n", "ids"); }), "ids: empty, expected token ids");
}

TEST(TextInputTest, AFileThatIsNotThereIsNamed) {
  EXPECT_EQ(InputError([] { ReadFile("no/such/file"); }),
            "no/such/file: cannot open: No such file or directory");
  EXPECT_EQ(InputError([] { ReadFile("/"); }), "/: cannot read: Is a directory");
}

}  // namespace
}  // namespace cedar
