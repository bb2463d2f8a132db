#include "app/python_json.h"

#include <gtest/gtest.h>

#include <utility>

namespace cedar {
namespace {

std::string Rewrite(const std::string& text) {
  return PythonJson(nlohmann::ordered_json::parse(text));
}

// The right-hand sides were printed by Python 3.11.
TEST(PythonJson, Numbers) {
  const std::pair<const char*, const char*> cases[] = {
      {"0", "0"},
      {"-7", "-7"},
      {"18446744073709551615", "18446744073709551615"},
      {"1.0", "1.0"},
      {"-0.0", "-0.0"},
      {"0.1", "0.1"},
      {"100.25", "100.25"},
      {"-2.50", "-2.5"},
      {"12345678.9", "12345678.9"},
      {"1e15", "1000000000000000.0"},
      {"1e16", "1e+16"},
      {"1e22", "1e+22"},
      {"9999999999999998.0", "9999999999999998.0"},
      {"9007199254740993.0", "9007199254740992.0"},
      {"123456789012345680.0", "1.2345678901234568e+17"},
      {"1e-4", "0.0001"},
      {"0.00012345", "0.00012345"},
      {"1e-5", "1e-05"},
      {"1.5e300", "1.5e+300"},
      {"5e-324", "5e-324"}};
  for (const auto& [text, expected] : cases) EXPECT_EQ(Rewrite(text), expected);
}

TEST(PythonJson, KeysKeepTheirOrderAndTextItsCharacters) {
  EXPECT_EQ(
      Rewrite(R"({"b":[1,2.0,{}],"a":{"x":null,"y":[true,false]},"é":"\u00e9\u0001\n\"\\\/"})"),
      R"({"b": [1, 2.0, {}], "a": {"x": null, "y": [true, false]}, "é": "é\u0001\n\"\\/"})");
  EXPECT_EQ(Rewrite(R"("\u007f\ud83d\ude00")"), "\"\x7f😀\"");
  EXPECT_EQ(Rewrite("[]"), "[]");
}

}  // namespace
}  // namespace cedar
