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
      {" ", "byte 1: found the end of the text, expected a JSON value"},
      {"{'a':1}", R"(byte 1: found "'", expected a key or "}")"},
      {R"({"a" 1})", R"(byte 5: found "1", expected ":")"},
      {R"({"a":})", R"(byte 5: found "}", expected a JSON value)"},
      {R"({"a":1 "b":2})", R"(byte 7: found "\"", expected "," or "}")"},
      {R"({"a":1,})", R"(byte 7: found "}", expected a key)"},
      {"[1 2]", R"(byte 3: found "2", expected "," or "]")"},
      {"[1,]", R"(byte 3: found "]", expected a JSON value)"},
      {"[1", R"(byte 2: found the end of the text, expected "," or "]")"},
      {"{} ä", R"(byte 3: found "ä", expected the end of the text)"},
      {"tru", R"(byte 0: found "t", expected a JSON value)"},
      {"NaN", R"(byte 0: found "N", expected a JSON value)"},
      {"01", R"(byte 1: found "1", expected the end of the text)"},
      {"-", "byte 1: found the end of the text, expected a digit"},
      {"1.x", R"(byte 2: found "x", expected a digit)"},
      {"1e+", "byte 3: found the end of the text, expected a digit"},
      {"[1e999]", R"(byte 1: found "1", expected a number that is not so large)"},
      {"\"a", "byte 2: found the end of the text, expected the end of a string (\")"},
      {"\"a\nb\"", R"(byte 2: found "\n", expected an escape for it, or the string's end)"},
      {R"("\x")", R"(byte 2: found "x", expected one of "\/bfnrtu)"},
      {R"("\u12g4")", R"(byte 5: found "g", expected four hexadecimal digits)"},
      {R"("\uD83Dx")", R"(byte 3: found "D", expected two halves of a surrogate pair)"},
      {R"("\uDE00")", R"(byte 3: found "D", expected two halves of a surrogate pair)"},
      {"\"\xC3\"", "byte 1: found 0xc3, expected UTF-8"},
      {R"({"a":{"b":1,"c":2,"b":3}})",
       R"(byte 18: found the key "b" a second time in its object, expected each key once)"},
      {R"({"a":1,"\u0061":2})", R"(byte 7: found the key "a" a second time)"}};
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

// Texts with single bytes changed, cut or doubled: what the library's parser takes is taken, with
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
