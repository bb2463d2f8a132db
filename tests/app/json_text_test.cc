#include "app/json_text.h"

#include <gtest/gtest.h>

#include <ctime>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "simd/error.h"
#include "weights/random.h"

namespace cedar {
namespace {

using Json = nlohmann::ordered_json;

std::string ErrorOf(const std::string& text) {
  try {
    ParseJson(text, "f");
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kInput);
    return error.what();
  }
  return "";
}

TEST(JsonTextTest, ValuesOfEveryKind) {
  const Json value = ParseJson(
      "\xEF\xBB\xBF {\"b\": [1, -2, 0, 18446744073709551615, -9223372036854775808],\r\n\t\"a\" :"
      "{\"x\":true,\"y\":false,\"z\":null}, \"r\": [1.5, -0.0, 1e3, 2E-2, 18446744073709551616, "
      "1e-400], \"s\": \"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e4\\uD83D\\uDE00ä\", \"e\": [{}, []]}",
      "f");
  EXPECT_EQ(value.begin().key(), "b");  // in their order
  EXPECT_TRUE(value["b"][0].is_number_unsigned());
  EXPECT_EQ(value["b"][3].get<uint64_t>(), ~uint64_t{0});
  EXPECT_EQ(value["b"][4].get<int64_t>(), std::numeric_limits<int64_t>::min());
  EXPECT_EQ(value["a"].dump(), R"({"x":true,"y":false,"z":null})");
  EXPECT_EQ(value["r"], (Json{1.5, -0.0, 1000.0, 0.02, 18446744073709551616.0, 0.0}));
  EXPECT_EQ(value["s"], "\"\\/\b\f\n\r\tä😀ä");
  EXPECT_EQ(value["e"].dump(), "[{},[]]");
}

TEST(JsonTextTest, ErrorsSayWhereAndWhat) {
  const std::vector<std::pair<std::string, std::string>> kBad = {
      {" ",
       "byte 2: expected JSON, found unexpected end of input; expected '[', '{', or a literal"},
      {"{'a':1}", R"(byte 2: expected JSON, found invalid literal at the end of "{'")"},
      {R"({"a" 1})", "byte 6: expected JSON, found unexpected number literal; expected ':'"},
      {R"({"a":1 "b":2})", "byte 10: expected JSON, found unexpected string literal; expected '}'"},
      {R"({"a":1,})", "byte 8: expected JSON, found unexpected '}'; expected string literal"},
      {"[1", "byte 3: expected JSON, found unexpected end of input; expected ']'"},
      {"{} ä", R"(byte 4: expected JSON, found invalid literal at the end of "{} \ufffd")"},
      {"NaN", R"(byte 1: expected JSON, found invalid literal at the end of "N")"},
      {"01", "byte 2: expected JSON, found unexpected number literal; expected end of input"},
      {"-", "byte 2: expected JSON, found invalid number; expected digit after '-'"},
      {"[1e999]", "byte 6: expected JSON, found number overflow parsing '1e999'"},
      {"\"a", "byte 3: expected JSON, found invalid string: missing closing quote"},
      {"\"\xC3\"", "byte 3: expected JSON, found invalid string: ill-formed UTF-8 byte"},
      {R"({"a":{"b":1,"c":2,"b":3}})",
       R"(found the key "b" a second time in its object, expected each key once)"},
      {R"({"a":1,"\u0061":2})", R"(found the key "a" a second time)"},
      {std::string(501, '['), "found JSON of more than 500 levels, expected no more"}};
  for (const auto& [text, message] : kBad) {
    EXPECT_EQ(ErrorOf(text).rfind("f: " + message, 0), 0u) << text << "\n" << ErrorOf(text);
  }
  EXPECT_EQ(ErrorOf(R"([{"a":1},{"a":1},{"b":{"a":1}}])"), "");
}

TEST(JsonTextTest, ATryDiscardsAndTakesTheLastOfTwo) {
  EXPECT_TRUE(TryParseJson("{").is_discarded());
  EXPECT_TRUE(TryParseJson("\"\xff\"").is_discarded());
  EXPECT_EQ(TryParseJson(R"({"a":1,"b":2,"a":3})").dump(), R"({"a":3,"b":2})");
}

// Texts with single bytes changed, cut or doubled: what the library reads by itself is read, with
// the same values, and nothing else.
TEST(JsonTextTest, AgreesWithTheLibrary) {
  const std::string whole =
      R"({"a": [1, -2.5e3, 0.1, "x\u00e4\n\uD83D\uDE00", true, false, null], "b": {"c": {}, "d": []}, )"
      R"("e": [[["ä"]], 12345678901234567890, -0, 1E-5]})";
  const std::string kBytes = "{}[]\",:\\ \n0123456789+-.eEtrufalsn/xD\x01\xC3\xA4\xFF";
  Random random(1);
  size_t taken = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::string text = whole;
    for (uint64_t changes = 1 + random.Next() % 2; changes > 0; --changes) {
      const size_t at = random.Next() % text.size();
      const char byte = kBytes[random.Next() % kBytes.size()];
      const uint64_t kind = random.Next() % 3;
      if (kind == 0) text[at] = byte;
      if (kind == 1) text.insert(at, 1, byte);
      if (kind == 2) text.erase(at, 1);
    }
    const Json expected = Json::parse(text, nullptr, /*allow_exceptions=*/false);
    const Json found = TryParseJson(text);
    ASSERT_EQ(found.is_discarded(), expected.is_discarded()) << text;
    if (found.is_discarded()) continue;
    ++taken;
    ASSERT_EQ(found.dump(), expected.dump()) << text;
  }
  EXPECT_GT(taken, 2'000u);
}

// In time linear in the text. On this path each key was compared with all before it: a minute.
TEST(JsonTextTest, ObjectsOfManyKeys) {
  std::string text = "{";
  for (int i = 0; i < 100'000; ++i) {
    text += (i > 0 ? ",\"" : "\"") + std::string("key ") + std::to_string(i) + "\":0";
  }
  const std::clock_t begin = std::clock();
  EXPECT_EQ(ParseJson(text + "}", "f").size(), 100'000u);
  EXPECT_NE(ErrorOf(text + ",\"key 7\":1}"), "");
  EXPECT_EQ(TryParseJson(text + "}").size(), 100'000u);
  const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  EXPECT_LT(seconds, 3);  // 0.2 on a slow core
}

}  // namespace
}  // namespace cedar
