#include "app/call_grammar.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "app/byte_automaton.h"
#include "app/call_parser.h"
#include "app/token_mask.h"
#include "app/token_trie.h"
#include "simd/error.h"
#include "tests/weights/tokenizer_data.h"
#include "weights/random.h"

namespace cedar {
namespace {

using Json = nlohmann::ordered_json;

const Json kWeather = Json::parse(R"({"type":"object","properties":{
  "place":{"type":"string"},"days":{"type":"integer","minimum":1,"maximum":9},
  "unit":{"enum":["celsius","kelvin",null]},"note":{"anyOf":[{"type":"string"},{"type":"null"}]}},
  "required":["place","days"],"additionalProperties":false})");

// D stands for the mark in all texts here.
std::string Spell(std::string text, const std::string& mark) {
  for (size_t at = text.find('D'); at != text.npos; at = text.find('D', at + mark.size())) {
    text.replace(at, 1, mark);
  }
  return text;
}

bool Matches(const std::vector<CallableTool>& tools, const std::string& text,
             const CallBlock& block = {.opened = true}) {
  const auto grammar = GrammarOfCalls(tools, block);
  ByteAutomaton automaton(*grammar);
  ByteAutomaton::State state = automaton.start();
  for (const char byte : Spell(text, "\xFF")) {
    state = automaton.Step(state, static_cast<uint8_t>(byte));
    if (state == ByteAutomaton::kDead) return false;
  }
  return automaton.Accepts(state);
}

std::string Parameter(const std::string& name, const std::string& is_string,
                      const std::string& value) {
  return "<D parameter name=\"" + name + "\" string=\"" + is_string + "\">" + value +
         "</D parameter>\n";
}
std::string Invoke(const std::string& parameters, const std::string& name = "f") {
  return "<D invoke name=\"" + name + "\">\n" + parameters + "</D invoke>";
}
std::string Rest(const std::string& calls) { return calls + "\n</D calls>"; }

bool TakesArguments(const Json& schema, const std::string& parameters) {
  return Matches({{"f", schema}}, Rest(Invoke(parameters)));
}

TEST(CallGrammarTest, ArgumentsAsTheSchemaWantsThem) {
  const std::string place = Parameter("place", "true", "Rio\n<b>"),
                    days = Parameter("days", "false", "3");
  for (const std::string& text :
       {place + days, place + days + Parameter("unit", "true", "kelvin"),
        place + days + Parameter("unit", "false", "null"),
        place + days + Parameter("unit", "true", "celsius") + Parameter("note", "true", ""),
        place + days + Parameter("note", "false", "null")}) {
    EXPECT_TRUE(TakesArguments(kWeather, text)) << text;
  }
  for (const std::string& text :
       {std::string(), place, days, days + place, place + place + days,
        place + Parameter("days", "false", "10"), place + Parameter("days", "true", "3"),
        Parameter("place", "false", "\"Rio\"") + days,
        place + days + Parameter("unit", "true", "rankine"),
        place + days + Parameter("unit", "false", "\"kelvin\""),
        place + days + Parameter("other", "true", "x"), place + days + "\n"}) {
    EXPECT_FALSE(TakesArguments(kWeather, text)) << text;
  }
}

TEST(CallGrammarTest, ArgumentsThatMayBeMissing) {
  const Json optional = Json::parse(R"({"properties":{"a":{"type":"string"},"b":{}}})");
  for (const std::string& text : {std::string("\n"), Parameter("a", "true", "x"),
                                  Parameter("b", "true", "x"), Parameter("b", "false", "[1]"),
                                  Parameter("a", "true", "x") + Parameter("b", "false", "{}")}) {
    EXPECT_TRUE(TakesArguments(optional, text)) << text;
  }
  EXPECT_FALSE(TakesArguments(optional, ""));
  for (const Json& none : {Json(), Json::parse(R"({"type":"object","properties":{}})"),
                           Json::parse(R"({"additionalProperties":false})")}) {
    EXPECT_TRUE(TakesArguments(none, "\n")) << none;
    EXPECT_FALSE(TakesArguments(none, Parameter("a", "true", "x"))) << none;
  }
}

TEST(CallGrammarTest, ReferencesAreFollowed) {
  const Json schema = Json::parse(R"({"$defs":{"Unit":{"enum":["m","km"]},
    "Tree":{"type":"array","items":{"$ref":"#/$defs/Tree"}}},
    "properties":{"unit":{"$ref":"#/$defs/Unit"},"tree":{"$ref":"#/$defs/Tree"}},
    "required":["unit","tree"]})");
  const std::string unit = Parameter("unit", "true", "km");
  EXPECT_TRUE(TakesArguments(schema, unit + Parameter("tree", "false", "[[], [[]]]")));
  EXPECT_FALSE(TakesArguments(schema, unit + Parameter("tree", "false", "[1]")));
}

TEST(CallGrammarTest, StringsFollowTheirRules) {
  const Json schema = Json::parse(R"({"type":"object","properties":{
    "code":{"type":"string","pattern":"^[A-Z]{2}$"},"note":{"type":"string","maxLength":2},
    "kind":{"type":"string","not":{"enum":["x"]}}},"minProperties":1})");
  for (const std::string& text : {Parameter("code", "true", "AB"), Parameter("note", "true", "é\""),
                                  Parameter("note", "true", ""), Parameter("kind", "true", "y")}) {
    EXPECT_TRUE(TakesArguments(schema, text)) << text;
  }
  for (const std::string& text :
       {Parameter("code", "true", "ABC"), Parameter("note", "true", "abc"),
        Parameter("kind", "true", "x"), std::string("\n")}) {
    EXPECT_FALSE(TakesArguments(schema, text)) << text;
  }
}

TEST(CallGrammarTest, ArgumentsInOneOfSeveralForms) {
  const Json schema = Json::parse(R"({"type":"object","oneOf":[
    {"properties":{"id":{"type":"integer"}},"required":["id"],"additionalProperties":false},
    {"properties":{"name":{"type":["string","null"]}},"required":["name"],
     "additionalProperties":{"type":"boolean"}}]})");
  const std::string id = Parameter("id", "false", "7"), name = Parameter("name", "true", "x");
  for (const std::string& text :
       {id, name, Parameter("name", "false", "null"), name + Parameter("b", "false", "true")}) {
    EXPECT_TRUE(TakesArguments(schema, text)) << text;
  }
  for (const std::string& text : {id + name, name + Parameter("b", "true", "true"),
                                  Parameter("name", "false", "7"), std::string("\n")}) {
    EXPECT_FALSE(TakesArguments(schema, text)) << text;
  }
}

TEST(CallGrammarTest, BlocksAsTheyAreWanted) {
  const std::vector<CallableTool> tools = {{"f", Json()}, {"s::g", Json()}};
  const std::string f = Invoke("\n"), g = Invoke("\n", "s::g"), open = "\n\n<D calls>\n";
  EXPECT_TRUE(Matches(tools, Rest(g)));
  EXPECT_FALSE(Matches(tools, Rest(f + "\n" + g)));
  EXPECT_FALSE(Matches(tools, open + Rest(f)));
  EXPECT_TRUE(Matches(tools, open + Rest(f), {}));
  EXPECT_FALSE(Matches(tools, Rest(f), {}));
  EXPECT_TRUE(Matches(tools, Rest(f + "\n" + g + "\n" + f), {.opened = true, .several = true}));
  EXPECT_FALSE(Matches(tools, Rest(Invoke("\n", "h"))));
  EXPECT_FALSE(Matches(tools, Rest(f) + "\n"));
  EXPECT_FALSE(Matches(tools, f));
}

TEST(CallGrammarTest, WhatNoCallCanSayIsAnError) {
  const auto error = [](const CallableTool& tool) -> std::string {
    try {
      GrammarOfCalls({&tool, 1}, {});
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_NE(error({"a\"b", Json()}).find("\"a\\\"b\""), std::string::npos);
  EXPECT_NE(error({"f", Json::parse(R"({"properties":{"a\nb":{}}})")}).find("a\\nb"),
            std::string::npos);
  EXPECT_NE(error({"｜DSML｜", Json()}), "");
  // What is not supported never leaves the arguments open.
  for (const auto& [schema, place, keyword] :
       {std::tuple(R"({"properties":{"a":{"items":{},"uniqueItems":true}}})", "#/properties/a",
                   "uniqueItems"),
        {R"({"properties":{"a":{"minLenght":2}}})", "#/properties/a", "minLenght"},
        {R"({"properties":{"a":false},"required":["a"]})", "#", "no arguments meet it"}}) {
    const std::string message = error({"f", Json::parse(schema)});
    EXPECT_NE(message.find("\"f\""), std::string::npos) << message;
    EXPECT_NE(message.find(place), std::string::npos) << message;
    EXPECT_NE(message.find(keyword), std::string::npos) << message;
  }
}

// One that is allowed, or -1. Marks are drawn more often than others, or no string would end.
int32_t Pick(const TokenSet& allowed, const std::string& text, Random& random) {
  const Tokenizer& tokenizer = DemoTokenizer();
  const int32_t mark = *tokenizer.FindControl("｜DSML｜");
  if (allowed.Contains(mark) && random.Next() % 8 > 0) return mark;
  const int32_t tag = tokenizer.EncodePlain(text.ends_with('<') ? "/" : "<").at(0);
  if (allowed.Contains(tag) && random.Next() % 4 == 0) return tag;
  std::vector<int32_t> ids;
  for (int32_t id = 0; id < tokenizer.size(); ++id) {
    if (allowed.Contains(id)) ids.push_back(id);
  }
  return ids.empty() ? -1 : ids[random.Next() % ids.size()];
}

// Whatever tokens are drawn, what comes out is read as calls with arguments that validate.
TEST(CallGrammarTest, EveryWalkIsACall) {
  const Tokenizer& tokenizer = DemoTokenizer();
  const std::vector<CallableTool> tools = {{"weather", kWeather},
                                           {"any", Json::parse(R"({"type":"object"})")}};
  TokenMasks masks(GrammarOfCalls(tools, {.opened = false, .several = true}),
                   std::make_shared<Vocabulary>(tokenizer));
  Random random(3);
  size_t ended = 0, weather = 0;
  for (int walk = 0; walk < 300; ++walk) {
    std::string text;
    TokenMasks::State state = masks.start();
    for (int step = 0; step < 500 && !masks.Accepts(state); ++step) {
      const int32_t id = Pick(masks.Allowed(state), text, random);
      ASSERT_GE(id, 0) << text;
      text += tokenizer.TokenBytes(id);
      state = masks.Advance(state, id);
    }
    if (!masks.Accepts(state)) continue;
    ++ended;
    const std::string whole = text;
    const std::vector<ToolCall> calls = TakeCalls(text);
    const bool twice = calls.empty() && whole.find("\"any\"") != whole.npos;
    if (twice) continue;  // a name that was drawn a second time: only open arguments may
    ASSERT_FALSE(calls.empty()) << whole;
    EXPECT_EQ(text, "");
    for (const ToolCall& call : calls) {
      if (call.name != "weather") continue;
      ++weather;
      const Json arguments = Json::parse(call.arguments);
      EXPECT_TRUE(arguments.at("place").is_string());
      EXPECT_LE(arguments.at("days").get<int>(), 9);
    }
  }
  EXPECT_GT(ended, 20u);
  EXPECT_GT(weather, 5u);
}

}  // namespace
}  // namespace cedar
