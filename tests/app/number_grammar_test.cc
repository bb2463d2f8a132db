#include "app/number_grammar.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include "simd/error.h"
#include "tests/app/grammar_texts.h"

namespace cedar {
namespace {

using Json = nlohmann::ordered_json;

// A rule as a schema says it.
NumberRule RuleOf(const char* schema) {
  const Json json = Json::parse(schema);
  NumberRule rule{.integer = json["type"] == "integer"};
  const auto take = [&](const char* name, NumberRule::Limits& to) {
    if (json.contains(name)) to.push_back(json[name]);
  };
  take("minimum", rule.minimum);
  take("maximum", rule.maximum);
  take("exclusiveMinimum", rule.exclusive_minimum);
  take("exclusiveMaximum", rule.exclusive_maximum);
  take("multipleOf", rule.multiple_of);
  return rule;
}

bool Follows(const char* schema, std::string_view text) {
  Grammar grammar;
  grammar.root = NumberGrammar(grammar, RuleOf(schema));
  return IsText(grammar, text);
}

std::string Message(const char* schema) {
  Grammar grammar;
  try {
    grammar.root = NumberGrammar(grammar, RuleOf(schema));
  } catch (const Error& error) {
    return error.what();
  }
  return grammar.Prune().contains(grammar.root) ? "no number" : "";
}

struct Case {
  const char* schema;
  std::vector<const char*> yes, no;
};

TEST(NumberGrammarTest, RightValues) {
  const Case cases[] = {
      {R"({"type": "number", "minimum": 0.0, "maximum": 1.0})",
       {"0", "1", "0.5", "1.0", "0.000001", "0.123456789012345"},
       {"-0", "-0.1", "1.1", "01", "1.", ".5", "1e0", "2", "-", "+1", "0.1234567890123456"}},
      {R"({"type": "number", "exclusiveMinimum": 0.0})", {"0.1", "7", "12.75"}, {"0", "0.0", "-1"}},
      {R"({"type": "number", "minimum": -0.5, "exclusiveMaximum": 1e3})",
       {"-0.5", "-0.49", "999.99", "0"},
       {"-0.51", "1000", "1000.0", "-0", "-0.0"}},
      {R"({"type": "integer", "minimum": -12, "exclusiveMaximum": 103})",
       {"-12", "-9", "0", "99", "102"},
       {"-13", "103", "-0", "1.0", "1.5"}},
      {R"({"type": "integer", "minimum": 0.5, "maximum": 2.5})", {"1", "2"}, {"0", "3", "1.5"}},
      {R"({"type": "integer", "multipleOf": 7, "exclusiveMinimum": 0})",
       {"7", "14", "7777777"},
       {"0", "8", "70000001"}},
      {R"({"type": "integer", "multipleOf": 86400000})",
       {"0", "86400000", "-172800000"},
       {"86400001", "8640000"}},
      {R"({"type": "integer", "multipleOf": 2.5})", {"0", "5", "-10"}, {"2", "3"}},
      {R"({"type": "number", "multipleOf": 0.5, "minimum": 0})",
       {"0.5", "0", "12", "12.0", "3.5"},
       {"0.25", "0.50", "-0.5"}},
      // 0.3 / 0.1 and 0.57 / 0.01 are no whole numbers to a double.
      {R"({"type": "number", "multipleOf": 0.1, "minimum": 0, "maximum": 1})",
       {"0.1", "0.2", "0.5", "1"},
       {"0.3", "0.15", "1.1"}},
      {R"({"type": "number", "multipleOf": 0.01})",
       {"0.43", "-19.5", "1999.75"},
       {"0.57", "0.001"}},
      // A decimal below 1 that a double rounds to 1.
      {R"({"type": "number", "exclusiveMaximum": 1})",
       {"0.999999999999999"},
       {"0.99999999999999999999", "1"}},
      {R"({"type": "integer", "minimum": 18446744073709551615})",
       {"18446744073709551615", "20000000000000000000"},
       {"18446744073709551614", "9"}},
      {R"({"type": "integer", "maximum": -1e20})", {"-200000000000000000000"}, {"0", "-1"}},
      {R"({"type": "number", "maximum": 1.7976931348623157e308, "minimum": 5})",
       {"5", "123456789012345678"},
       {"4.9"}},
      {R"({"type": "number", "exclusiveMinimum": 5e-324, "maximum": 1})", {"0.1"}, {"0"}},
      {R"({"type": "number", "minimum": 0.30000000000000004, "maximum": 0.4})",
       {"0.31", "0.4"},
       {"0.3", "0.41"}},
  };
  for (const auto& [schema, yes, no] : cases) {
    for (const char* text : yes) EXPECT_TRUE(Follows(schema, text)) << schema << " " << text;
    for (const char* text : no) EXPECT_FALSE(Follows(schema, text)) << schema << " " << text;
  }
}

TEST(NumberGrammarTest, RulesWithoutNumbersAreErrors) {
  for (const char* schema :
       {R"({"type": "integer", "minimum": 0.5, "maximum": 0.7})",
        R"({"type": "integer", "minimum": 2, "maximum": 1})",
        R"({"type": "number", "exclusiveMinimum": 1, "maximum": 1})",
        R"({"type": "number", "multipleOf": 25, "minimum": 14, "maximum": 22.5})",
        R"({"type": "integer", "multipleOf": 0})", R"({"type": "integer", "multipleOf": -1})",
        R"({"type": "integer", "minimum": "1"})",
        R"({"type": "number", "multipleOf": 1e-30, "minimum": 1})"}) {
    EXPECT_NE(Message(schema), "") << schema;
  }
}

// Hundredths from -30 to 30 that the rule allows, by whole numbers.
bool IsAllowed(const Json& limits, int hundredths) {
  const auto in_hundredths = [&](const char* name) {
    return std::lround(limits[name].get<double>() * 100);
  };
  if (limits["type"] == "integer" && hundredths % 100 != 0) return false;
  if (limits.contains("minimum") && hundredths < in_hundredths("minimum")) return false;
  if (limits.contains("maximum") && hundredths > in_hundredths("maximum")) return false;
  if (limits.contains("exclusiveMinimum") && hundredths <= in_hundredths("exclusiveMinimum")) {
    return false;
  }
  if (limits.contains("exclusiveMaximum") && hundredths >= in_hundredths("exclusiveMaximum")) {
    return false;
  }
  if (!limits.contains("multipleOf")) return true;
  const double quotient = hundredths / 100.0 / limits["multipleOf"].get<double>();
  return hundredths % in_hundredths("multipleOf") == 0 && quotient == std::trunc(quotient);
}

std::string TextOf(int hundredths) {
  const int size = std::abs(hundredths);
  std::string text = (hundredths < 0 ? "-" : "") + std::to_string(size / 100);
  if (size % 100 != 0) text += "." + std::to_string(size % 100 / 10);
  if (size % 10 != 0) text += std::to_string(size % 10);
  return text;
}

// Every allowed number is a text, and no other is; walks never get stuck.
TEST(NumberGrammarTest, RandomRules) {
  Random random(9);
  const auto below = [&](int count) {
    return static_cast<int>(random.NextUnit() * static_cast<double>(count));
  };
  size_t with_numbers = 0;
  for (int i = 0; i < 150; ++i) {
    Json limits = {{"type", below(2) == 0 ? "integer" : "number"}};
    for (const char* name : {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"}) {
      if (below(3) == 0) limits[name] = (below(6000) - 3000) / 100.0;
    }
    constexpr double kMultiples[] = {0.01, 0.05, 0.1, 0.25, 0.3, 1.5, 2, 3, 7, 0.75};
    if (below(2) == 0) limits["multipleOf"] = kMultiples[below(10)];
    const std::string schema = limits.dump();
    const bool is_empty = Message(schema.c_str()) != "";
    if (is_empty) {
      for (int n = -3000; n <= 3000; ++n) ASSERT_FALSE(IsAllowed(limits, n)) << schema << " " << n;
      continue;
    }
    ++with_numbers;
    Grammar grammar;
    grammar.root = NumberGrammar(grammar, RuleOf(schema.c_str()));
    ByteAutomaton automaton(grammar);
    for (int n = -3000; n <= 3000; n += 1 + below(7)) {
      ASSERT_EQ(IsText(automaton, TextOf(n)), IsAllowed(limits, n)) << schema << " " << TextOf(n);
    }
    for (int n = 0; n < 20; ++n) EXPECT_TRUE(RandomText(automaton, random, 100)) << schema;
  }
  EXPECT_GT(with_numbers, 80u);
}

}  // namespace
}  // namespace cedar
