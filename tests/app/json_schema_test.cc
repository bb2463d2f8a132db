#include "app/json_schema.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "app/byte_automaton.h"
#include "simd/error.h"
#include "weights/random.h"

namespace cedar {
namespace {

using Json = nlohmann::ordered_json;

bool Matches(ByteAutomaton& automaton, std::string_view text) {
  ByteAutomaton::State state = automaton.start();
  for (const char byte : text) {
    state = automaton.Step(state, static_cast<uint8_t>(byte));
    if (state == ByteAutomaton::kDead) return false;
  }
  return automaton.Accepts(state);
}

bool Matches(const Grammar& grammar, std::string_view text) {
  ByteAutomaton automaton(grammar);
  return Matches(automaton, text);
}

bool Matches(const char* schema, std::string_view text) {
  return Matches(*GrammarOfSchema(Json::parse(schema)), text);
}

TEST(JsonSchemaTest, AnyObject) {
  const auto grammar = GrammarOfAnyObject();
  for (const char* text :
       {"{}", R"({"a":1})", R"({ "a" : [1, -2.5e3, {"b": null}], "c": "é\n\u00e9" })",
        "{\n  \"x\": true\n}"}) {
    EXPECT_TRUE(Matches(*grammar, text)) << text;
  }
  for (const char* text : {"", "[]", "{", R"({"a":})", R"({"a":01})", R"({"a":"\ud800"})", "{a:1}",
                           "{\"a\":\"\n\"}", R"({"a":1,})", "{\"a\":\"\xC0\x80\"}", "{} "}) {
    EXPECT_FALSE(Matches(*grammar, text)) << text;
  }
}

// Of 500 integers each adds its name and no more: about 1 kB; an integer takes 15 kB.
TEST(JsonSchemaTest, EqualPartsAreOne) {
  Json schema = {{"type", "object"}};
  for (int i = 0; i < 500; ++i) {
    schema["properties"]["p" + std::to_string(i)] = {{"type", "integer"}};
  }
  const size_t bytes = GrammarOfSchema(schema)->bytes();
  EXPECT_LT(bytes, 700'000u);
  EXPECT_NO_THROW(GrammarOfSchema(schema, bytes));
  EXPECT_THROW(GrammarOfSchema(schema, bytes - 1), Error);
}

TEST(JsonSchemaTest, Objects) {
  const char* schema = R"({"type": "object", "additionalProperties": false, "required": ["b"],
    "properties": {"a": {"type": "integer"}, "b": {"type": "string"}, "c": {"type": "null"}}})";
  EXPECT_TRUE(Matches(schema, R"({"a":1,"b":"x","c":null})"));
  EXPECT_TRUE(Matches(schema, R"({"b":"x"})"));
  EXPECT_TRUE(Matches(schema, R"({"b": "x", "c": null})"));
  EXPECT_FALSE(Matches(schema, R"({"a":1})"));
  EXPECT_FALSE(Matches(schema, R"({"b":"x","d":1})"));
  EXPECT_FALSE(Matches(schema, R"({"a":1.5,"b":"x"})"));
  EXPECT_TRUE(Matches(R"({"type":"object"})", R"({"any": ["thing"]})"));
  EXPECT_TRUE(Matches(R"({"type":"object","additionalProperties":{"type":"integer"}})",
                      R"({"x": 1, "y": 2})"));
  EXPECT_FALSE(
      Matches(R"({"type":"object","additionalProperties":{"type":"integer"}})", R"({"x": "1"})"));
  EXPECT_TRUE(Matches(R"({"type":"object","required":["x"]})", R"({"x": [1]})"));
  EXPECT_FALSE(Matches(R"({"type":"object","required":["x"]})", "{}"));
}

TEST(JsonSchemaTest, ArraysAndChoices) {
  const char* schema =
      R"({"type": "array", "items": {"enum": ["a", 1, null]}, "minItems": 1, "maxItems": 3})";
  EXPECT_TRUE(Matches(schema, R"(["a"])"));
  EXPECT_TRUE(Matches(schema, R"([1, null, "a"])"));
  EXPECT_FALSE(Matches(schema, "[]"));
  EXPECT_FALSE(Matches(schema, "[1,1,1,1]"));
  EXPECT_FALSE(Matches(schema, "[2]"));
  EXPECT_TRUE(
      Matches(R"({"anyOf": [{"const": {"k": [1]}}, {"type": ["boolean", "null"]}]})", "true"));
  EXPECT_TRUE(Matches(R"({"anyOf": [{"const": {"k": [1]}}, {"type": "null"}]})", R"({"k":[1]})"));
  EXPECT_TRUE(Matches(R"({"type":"array","maxItems":0})", "[]"));
}

TEST(JsonSchemaTest, ReferencesMayRecur) {
  const char* schema = R"({"$ref": "#/$defs/node", "$defs": {"node": {"type": "object",
    "properties": {"v": {"type": "integer"}, "next": {"anyOf": [{"$ref": "#/$defs/node"},
    {"type": "null"}]}}, "required": ["v", "next"], "additionalProperties": false}}})";
  EXPECT_TRUE(Matches(schema, R"({"v":1,"next":{"v":2,"next":null}})"));
  EXPECT_FALSE(Matches(schema, R"({"v":1,"next":{"v":2}})"));
}

TEST(JsonSchemaTest, IntegerLimitsAreExact) {
  for (const auto& [low, high] :
       {std::pair{-12, 345}, {0, 0}, {7, 7}, {-5, -2}, {99, 1001}, {-100, 5}}) {
    const Json schema = {{"type", "integer"}, {"minimum", low}, {"maximum", high}};
    const auto grammar = GrammarOfSchema(schema);
    ByteAutomaton automaton(*grammar);
    for (int i = -1200; i <= 1200; ++i) {
      EXPECT_EQ(Matches(automaton, std::to_string(i)), low <= i && i <= high)
          << i << " in " << low << ".." << high;
    }
    EXPECT_FALSE(Matches(*grammar, "007"));
  }
  EXPECT_TRUE(Matches(R"({"type":"integer","minimum":10})", "123456789012"));
  EXPECT_FALSE(Matches(R"({"type":"integer","minimum":10})", "9"));
}

TEST(JsonSchemaTest, WhatIsNotSupportedIsAnError) {
  for (const char* schema :
       {R"({"allOf":[]})", R"({"type":"thing"})", R"({"minLenght":1})", R"({"$ref":"other.json"})",
        R"({"$ref":"#/nowhere"})", R"({"$ref":"#"})", R"({"anyOf":[{"$ref":"#"},{"const":1}]})",
        R"({"enum":[]})", "false", "3", R"({"type":"array","minItems":3,"maxItems":2})",
        R"({"type":"array","uniqueItems":true})",
        R"({"type":"object","required":["a"],"additionalProperties":false})"}) {
    EXPECT_THROW(GrammarOfSchema(Json::parse(schema)), Error) << schema;
  }
}

std::string ErrorOf(const std::string& schema) {
  try {
    GrammarOfSchema(Json::parse(schema));
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kInput);
    return error.what();
  }
  return "";
}

// Whatever a schema says, it is compiled or refused, and in reasonable time.
TEST(JsonSchemaTest, SchemasWithoutMeasureAreErrors) {
  for (const char* count : {"100001", "4294967297", "18446744073709551615", "1.5", "-1"}) {
    EXPECT_NE(ErrorOf(std::string(R"({"type":"array","minItems":)") + count + "}").find("minItems"),
              std::string::npos)
        << count;
  }
  std::string properties;
  for (int i = 0; i < 2000; ++i) {
    properties += (i == 0 ? "\"p" : ",\"p") + std::to_string(i) + "\":{}";
  }
  EXPECT_NE(ErrorOf(R"({"type":"object","properties":{)" + properties + "}}").find("properties"),
            std::string::npos);
}

TEST(JsonSchemaTest, SchemasWithinSchemasHaveALimit) {
  // 2,000 references, each to the next.
  Json chain = {{"$ref", "#/$defs/0"}};
  for (int i = 0; i < 2000; ++i) {
    chain["$defs"][std::to_string(i)] = {{"$ref", "#/$defs/" + std::to_string(i + 1)}};
  }
  EXPECT_NE(ErrorOf(chain.dump()).find("levels"), std::string::npos);
  std::string deep = "{}";
  for (int i = 0; i < 400; ++i) deep = R"({"type":"array","items":)" + deep + "}";
  EXPECT_EQ(ErrorOf(deep), "");
  std::string text(400, '[');
  EXPECT_TRUE(Matches(*GrammarOfSchema(Json::parse(deep)), text + std::string(400, ']')));
}

// Every rule offers the next one twice: 2^60 ways to the same text.
TEST(JsonSchemaTest, ManyWaysToOneTextAreTakenTogether) {
  Json schema = {{"$ref", "#/$defs/0"}};
  for (int i = 0; i < 60; ++i) {
    const Json next = {{"$ref", "#/$defs/" + std::to_string(i + 1)}};
    schema["$defs"][std::to_string(i)] = {{"anyOf", {next, next}}};
  }
  schema["$defs"]["60"] = {{"const", 7}};
  EXPECT_TRUE(Matches(*GrammarOfSchema(schema), "7"));
  EXPECT_FALSE(Matches(*GrammarOfSchema(schema), "8"));
}

TEST(JsonSchemaTest, WhiteSpaceIsThatOfWrittenJson) {
  const char* schema = R"({"type":"object","required":["a"],"properties":{"a":{"type":"null"}}})";
  for (const char* text :
       {R"({"a":null})", R"({ "a": null })", "{\n  \"a\": null\n}", "{\n\t\t\"a\": null\n}"}) {
    EXPECT_TRUE(Matches(schema, text)) << text;
  }
  for (const char* text : {"{  \"a\":null}", "{\n\n\"a\":null}", "{\r\n\"a\":null}",
                           "{\n                 \"a\":null}"}) {
    EXPECT_FALSE(Matches(schema, text)) << text;
  }
}

}  // namespace
}  // namespace cedar
