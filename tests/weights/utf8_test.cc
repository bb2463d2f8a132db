#include "weights/utf8.h"

#include <gtest/gtest.h>

#include <string>

namespace cedar {
namespace {

// What Unicode says in one line: a shortest form of a code point that is no surrogate.
std::string EncodeCodePoint(uint32_t c) {
  const auto byte = [](uint32_t value) { return static_cast<char>(value); };
  if (c < 0x80) return {byte(c)};
  if (c < 0x800) return {byte(0xC0 | c >> 6), byte(0x80 | (c & 63))};
  if (c < 0x10000) return {byte(0xE0 | c >> 12), byte(0x80 | (c >> 6 & 63)), byte(0x80 | (c & 63))};
  return {byte(0xF0 | c >> 18), byte(0x80 | (c >> 12 & 63)), byte(0x80 | (c >> 6 & 63)),
          byte(0x80 | (c & 63))};
}

TEST(Utf8, EveryCodePointIsValidAndSurrogatesAreNot) {
  for (uint32_t c = 0; c < 0x110000; ++c) {
    const std::string bytes = EncodeCodePoint(c);
    const Utf8Unit unit = FirstUtf8Unit(bytes + "x");
    if (c >= 0xD800 && c < 0xE000) {
      ASSERT_EQ(unit.kind, Utf8Kind::kInvalid) << c;
    } else {
      ASSERT_EQ(unit.kind, Utf8Kind::kValid) << c;
      ASSERT_EQ(unit.length, bytes.size()) << c;
      ASSERT_EQ(unit.code_point, c);
    }
  }
}

TEST(Utf8, APrefixOfACodePointIsIncomplete) {
  for (const std::string whole : {"é", "€", "😀"}) {
    for (size_t length = 1; length < whole.size(); ++length) {
      const Utf8Unit unit = FirstUtf8Unit(whole.substr(0, length));
      EXPECT_EQ(unit.kind, Utf8Kind::kIncomplete);
      EXPECT_EQ(unit.length, length);
    }
  }
}

TEST(Utf8, InvalidUnitsAreAsLongAsTheyBeganWell) {
  const struct {
    std::string bytes;
    size_t length;
  } cases[] = {
      {"\x80", 1},              // a continuation byte first
      {"\xC0\xAF", 1},          // overlong
      {"\xC1\xBF", 1},          // overlong
      {"\xE0\x80\xAF", 1},      // overlong
      {"\xED\xA0\x80", 1},      // a surrogate
      {"\xF0\x8F\xBF\xBF", 1},  // overlong
      {"\xF4\x90\x80\x80", 1},  // above U+10FFFF
      {"\xF5\x80", 1},          // starts nothing
      {"\xFF", 1},
      {"\xE2\x82x", 2},  // cut short after two good bytes
      {"\xF0\x9F\x98x", 3},
  };
  for (const auto& c : cases) {
    const Utf8Unit unit = FirstUtf8Unit(c.bytes);
    EXPECT_EQ(unit.kind, Utf8Kind::kInvalid) << testing::PrintToString(c.bytes);
    EXPECT_EQ(unit.length, c.length) << testing::PrintToString(c.bytes);
  }
}

TEST(Utf8, FirstInvalidIsItsOffset) {
  EXPECT_EQ(FirstInvalidUtf8(""), std::nullopt);
  EXPECT_EQ(FirstInvalidUtf8("plain, é, 😀"), std::nullopt);
  EXPECT_EQ(FirstInvalidUtf8("é\xFF"), 2u);
  EXPECT_EQ(FirstInvalidUtf8("abc\xE2\x82"), 3u);  // cut short at the end
}

TEST(Utf8, RepairPutsOneReplacementForEachInvalidUnit) {
  EXPECT_EQ(RepairUtf8("é😀"), "é😀");
  EXPECT_EQ(RepairUtf8("a\xE2\x82z"), "a\uFFFDz");
  EXPECT_EQ(RepairUtf8("\xFF\xFE"), "\uFFFD\uFFFD");
  EXPECT_EQ(RepairUtf8("x\xF0\x9F"), "x\uFFFD");
}

}  // namespace
}  // namespace cedar
