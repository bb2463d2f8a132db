// What each keyword allows and what it does not, and which errors name what.

#include <gtest/gtest.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/json_schema.h"
#include "simd/error.h"
#include "tests/app/grammar_texts.h"

namespace cedar {
namespace {

using Json = nlohmann::ordered_json;

std::string ErrorOf(const std::string& schema) {
  try {
    GrammarOfSchema(Json::parse(schema));
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kInput);
    return error.what();
  }
  return "";
}

void Expect(const char* schema, const std::vector<const char*>& in,
            const std::vector<const char*>& out) {
  ASSERT_EQ(ErrorOf(schema), "") << schema;
  const auto grammar = GrammarOfSchema(Json::parse(schema));
  for (const char* text : in) EXPECT_TRUE(IsText(*grammar, text)) << schema << "\n" << text;
  for (const char* text : out) EXPECT_FALSE(IsText(*grammar, text)) << schema << "\n" << text;
}

void ExpectError(const char* schema, const std::vector<const char*>& parts) {
  const std::string error = ErrorOf(schema);
  for (const char* part : parts) {
    EXPECT_NE(error.find(part), std::string::npos) << schema << "\n" << error;
  }
}

TEST(SchemaKeywordsTest, Tuples) {
  // As Pydantic writes tuple[int, str].
  Expect(R"({"type":"array","minItems":2,"maxItems":2,
             "prefixItems":[{"type":"integer"},{"type":"string"}]})",
         {R"([1,"a"])", R"([1, "a"])"}, {"[]", "[1]", R"(["a",1])", R"([1,"a",2])"});
  Expect(R"({"prefixItems":[{"const":1},{"const":2}],"items":{"type":"null"},"minItems":1})",
         {"[1]", "[1,2]", "[1,2,null,null]"}, {"[]", "[2]", "[1,null]", "[1,2,3]", "{}"});
  // As draft 7 has it.
  Expect(R"({"type":"array","items":[{"const":1}],"additionalItems":false})", {"[]", "[1]"},
         {"[1,2]"});
  Expect(R"({"type":"array","items":false})", {"[]"}, {"[1]"});
}

TEST(SchemaKeywordsTest, UniqueItems) {
  Expect(R"({"type":"array","items":{"enum":["a","b","c"]},"uniqueItems":true,"minItems":2})",
         {R"(["c","a"])", R"(["b","c","a"])"}, {R"(["a"])", R"(["a","a"])", R"(["a","b","a"])"});
  std::string many = R"({"type":"array","uniqueItems":true,"minItems":1,"items":{"enum":[0)";
  for (int i = 1; i < 40; ++i) many += "," + std::to_string(i);
  Expect((many + "]}}").c_str(), {"[0]", "[3,7,39]"}, {"[]", "[3,3]", "[7,3]"});
  Expect(R"({"items":{"type":"integer","minimum":1,"maximum":3},"uniqueItems":true})",
         {"[]", "[3,1,2]"}, {"[1,1]", "[4]"});
  Expect(R"({"items":{"type":"boolean"},"uniqueItems":true,"minItems":2})", {"[true,false]"},
         {"[true]", "[true,true]"});
  ExpectError(R"({"properties":{"s":{"type":"array","items":{"type":"string"},
                  "uniqueItems":true}}})",
              {"#/properties/s", "uniqueItems"});
  ExpectError(R"({"type":"array","items":{"enum":[1,2]},"uniqueItems":true,"minItems":3})",
              {"no finite value"});
}

TEST(SchemaKeywordsTest, Contains) {
  Expect(R"({"type":"array","items":{"type":"integer"},"contains":{"const":7}})",
         {"[7]", "[1,7]", "[7,1,7]"}, {"[]", "[1]", "[1,2]"});
  Expect(R"({"type":"array","contains":{"const":7},"maxContains":1,"minContains":0,"maxItems":3,
             "items":{"enum":[7,8]}})",
         {"[]", "[8]", "[8,7]", "[8,7,8]"}, {"[7,7]", "[8,8,8,8]"});
}

TEST(SchemaKeywordsTest, AllOf) {
  Expect(R"({"$defs":{"Base":{"type":"object","properties":{"id":{"type":"integer"}},
                              "required":["id"]}},
             "allOf":[{"$ref":"#/$defs/Base"},
                      {"properties":{"id":{"enum":[1,2]},"n":{"type":"null"}},"required":["n"]}]})",
         {R"({"id":1,"n":null})"}, {R"({"id":3,"n":null})", R"({"id":1})", R"({"n":null})"});
  Expect(R"({"allOf":[{"properties":{"a":{"const":1}},"additionalProperties":false},
                      {"properties":{"a":{},"b":{}}}]})",
         {"{}", R"({"a":1})"}, {R"({"b":1})", R"({"a":2})"});
  // As Pydantic 1 writes an enum with a description.
  Expect(R"({"definitions":{"E":{"enum":["x","y"],"type":"string","title":"E"}},
             "type":"object","required":["e"],"properties":{"e":{"description":"which",
             "default":"x","allOf":[{"$ref":"#/definitions/E"}]}}})",
         {R"({"e":"x"})"}, {R"({"e":"z"})", "{}"});
  Expect(R"({"allOf":[{"enum":[1,"a",null]},{"type":["string","null"]},{"not":{"const":"a"}}]})",
         {"null"}, {"1", R"("a")"});
  ExpectError(R"({"allOf":[{"type":"string"},{"type":"integer"}]})", {"no finite value"});
}

TEST(SchemaKeywordsTest, OneOf) {
  // A discriminated union, the options of which share all other properties.
  Expect(R"({"discriminator":{"mapping":{"cat":"#/$defs/Cat"},"propertyName":"kind"},
             "oneOf":[{"$ref":"#/$defs/Cat"},{"$ref":"#/$defs/Dog"}],
             "$defs":{"Cat":{"properties":{"kind":{"const":"cat","type":"string"},"n":{}},
                             "required":["kind"],"type":"object"},
                      "Dog":{"properties":{"kind":{"const":"dog","type":"string"},
                                           "pups":{"items":{"$ref":"#"},"type":"array"}},
                             "required":["kind","pups"],"type":"object"}}})",
         {R"({"kind":"cat"})", R"({"kind":"dog","pups":[{"kind":"cat","n":1}]})"},
         {R"({"kind":"dog"})", R"({"kind":"cow"})"});
  Expect(R"({"oneOf":[{"enum":[1,2]},{"enum":[2,3]},{"type":"string"}]})", {"1", "3", R"("x")"},
         {"2", "null"});
  // Just one of two properties.
  Expect(R"({"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"integer"}},
             "oneOf":[{"required":["a"]},{"required":["b"]}]})",
         {R"({"a":1})", R"({"b":1})"}, {"{}", R"({"a":1,"b":1})"});
  Expect(R"({"oneOf":[{"type":"integer","minimum":1,"maximum":5},
                      {"type":"integer","minimum":4,"maximum":9}]})",
         {"1", "3", "6", "9"}, {"4", "5", "0", "10"});
  ExpectError(R"({"oneOf":[{"type":"number"},{"type":"number","multipleOf":2}]})",
              {"#/oneOf/1", "multipleOf"});
  ExpectError(R"({"oneOf":[{"type":"null"},{"type":"null"}]})", {"no finite value"});
}

TEST(SchemaKeywordsTest, NotAndIf) {
  Expect(R"({"not":{"enum":["a",1,null]},"type":["string","integer","null"]})",
         {R"("b")", R"("aa")", R"("")", "0", "2", "-7", "12"},
         {R"("a")", "1", "null", R"("\u0061")"});
  Expect(R"({"not":{"type":["object","array","string"]}})", {"1", "null", "true"},
         {"{}", "[]", R"("x")"});
  Expect(R"({"type":"object","properties":{"c":{"enum":["US","DK"]},"zip":{"type":"string"}},
             "required":["c"],"if":{"properties":{"c":{"const":"US"}}},"then":{"required":["zip"]},
             "else":{"properties":{"zip":false}}})",
         {R"({"c":"US","zip":"1"})", R"({"c":"DK"})"},
         {R"({"c":"US"})", R"({"c":"DK","zip":"1"})"});
  Expect(R"({"type":"object","properties":{"a":{"const":1},"b":{"const":2}},
             "dependentRequired":{"a":["b"]}})",
         {"{}", R"({"b":2})", R"({"a":1,"b":2})"}, {R"({"a":1})"});
  ExpectError(R"({"properties":{"a":{"type":"number","not":{"multipleOf":3}}}})",
              {"#/properties/a/not", "multipleOf"});
}

TEST(SchemaKeywordsTest, NamesOfProperties) {
  Expect(R"({"type":"object","patternProperties":{"^x-":{"type":"integer"}},
             "properties":{"id":{"type":"null"}},"additionalProperties":false})",
         {"{}", R"({"id":null,"x-a":1,"x-":2})", R"({"x-a":1})"},
         {R"({"x-a":null})", R"({"y":1})", R"({"id":1})"});
  Expect(R"({"type":"object","propertyNames":{"enum":["a","b"]},
             "additionalProperties":{"type":"integer"}})",
         {"{}", R"({"a":1})", R"({"a":1,"b":2})", R"({"b":2})"}, {R"({"c":1})", R"({"a":"x"})"});
  Expect(R"({"type":"object","propertyNames":{"pattern":"^[a-z]+$","maxLength":2}})",
         {R"({"ab":1})"}, {R"({"abc":1})", R"({"A":1})"});
  // Others are not written as one that is listed.
  Expect(R"({"properties":{"a":{"type":"string"}},"additionalProperties":{"type":"integer"}})",
         {R"({"a":"x","b":1})", R"({"b":1})"}, {R"({"a":1})", R"({"a":"x","a":1})"});
  Expect(R"({"type":"object","additionalProperties":{"type":"integer"},"minProperties":1,
             "maxProperties":2})",
         {R"({"a":1})", R"({"a":1,"b":2})"}, {"{}", R"({"a":1,"b":2,"c":3})"});
  Expect(R"({"properties":{"a":{},"b":{},"c":{}},"minProperties":2})",
         {R"({"a":1,"c":1})", R"({"b":1,"c":1})", R"({"a":1,"b":1,"c":1})"}, {"{}", R"({"b":1})"});
  Expect(R"({"properties":{"a":{"type":"null"}},"allOf":[{"properties":{"b":{"type":"null"}}}],
             "unevaluatedProperties":false,"required":["a","b"]})",
         {R"({"a":null,"b":null})"}, {R"({"a":null})"});
}

TEST(SchemaKeywordsTest, References) {
  Expect(R"({"$defs":{"a/b~c %":{"const":1}},"$ref":"#/$defs/a~1b~0c%20%25"})", {"1"}, {"2"});
  // Keywords beside a $ref count, but not in draft 7.
  Expect(R"({"$defs":{"n":{"type":"integer"}},"$ref":"#/$defs/n","maximum":3})", {"3"}, {"4"});
  Expect(R"({"$schema":"http://json-schema.org/draft-07/schema#",
             "definitions":{"n":{"type":"integer"}},"$ref":"#/definitions/n","maximum":3})",
         {"3", "4"}, {"null"});
  Expect(R"({"$defs":{"n":{"$anchor":"number","type":"integer"}},"items":{"$ref":"#number"}})",
         {"[1]"}, {"[null]"});
  Expect(R"({"$id":"https://e.example/s.json","$defs":{"n":{"const":1}},
             "$ref":"https://e.example/s.json#/$defs/n"})",
         {"1"}, {"2"});
  ExpectError(R"({"$defs":{"n":{"$id":"n.json"}},"$ref":"#/$defs/n"})", {"$id", "#/$defs/n"});
  ExpectError(R"({"properties":{"a":{"$dynamicRef":"#x"}}})", {"#/properties/a", "$dynamicRef"});
  ExpectError(R"({"properties":{"a":{"$ref":"https://e.example/x"}}})",
              {"#/properties/a", "https://e.example/x"});
}

TEST(SchemaKeywordsTest, AnnotationsHaveNoEffect) {
  Expect(R"({"title":"T","description":"d","default":1,"examples":[2],"readOnly":true,
             "writeOnly":true,"deprecated":true,"$comment":"c","x-unit":"m","type":"null"})",
         {"null"}, {"1"});
  Expect(R"({"type":"string","nullable":true})", {"null", R"("x")"}, {"1"});
  ExpectError(R"({"properties":{"a":{"minLenght":2}}})", {"#/properties/a", "minLenght"});
}

TEST(SchemaKeywordsTest, KeywordsOfOneType) {
  // Alone they mean values of their type.
  Expect(R"({"minItems":1})", {"[1]"}, {"[]", "1", "{}"});
  Expect(R"({"required":["a"]})", {R"({"a":1})"}, {"{}", "1"});
  // Beside other types they leave those alone.
  Expect(R"({"type":["integer","array"],"maxItems":0})", {"7", "[]"}, {"[1]"});
  // Where nothing of that type is left, other types are.
  Expect(R"({"items":{"allOf":[{"const":1},{"const":2}]},"minItems":1})", {"1", R"("x")", "{}"},
         {"[]", "[1]"});
}

TEST(SchemaKeywordsTest, WhatNothingMeetsIsAnError) {
  for (const char* schema :
       {R"({"$ref":"#/$defs/n","$defs":{"n":{"type":"object","required":["n"],
            "properties":{"n":{"$ref":"#/$defs/n"}}}}})",
        R"({"type":"integer","minimum":3,"maximum":2})", R"({"type":"string","enum":[1,2]})",
        R"({"type":"object","required":["a"],"properties":{"a":false}})",
        R"({"type":"array","minItems":1,"items":{"$ref":"#"}})",
        R"({"allOf":[{"enum":[1,2]},{"enum":[3]}]})", R"({"not":{}})",
        R"({"const":1,"not":{"const":1}})"}) {
    EXPECT_NE(ErrorOf(schema), "") << schema;
  }
  // What is left of a choice is what can be met.
  Expect(R"({"$defs":{"n":{"type":"array","items":{"$ref":"#/$defs/n"},"minItems":1}},
             "anyOf":[{"$ref":"#/$defs/n"},{"type":"null"}]})",
         {"null"}, {"[", "[[]]"});
}

// A schema is compiled or refused in little time, whatever it multiplies.
TEST(SchemaKeywordsTest, LargeSchemasTakeLittleTime) {
  const auto start = std::chrono::steady_clock::now();
  Json product = {{"allOf", Json::array()}};
  for (int i = 0; i < 30; ++i) {
    const std::string n = std::to_string(i);
    product["allOf"].push_back({{"anyOf", {{{"required", {"a" + n}}}, {{"required", {"b" + n}}}}}});
  }
  EXPECT_NE(ErrorOf(product.dump()).find("too many combinations"), std::string::npos);
  Json options = {{"oneOf", Json::array()}};
  for (int i = 0; i < 3000; ++i) {
    options["oneOf"].push_back({{"type", "object"},
                                {"required", {"kind"}},
                                {"properties", {{"kind", {{"const", i}}}, {"v", Json::object()}}}});
  }
  EXPECT_EQ(ErrorOf(options.dump()), "");
  Json values = {{"enum", Json::array()}};
  for (int i = 0; i < 50000; ++i) values["enum"].push_back("value " + std::to_string(i));
  EXPECT_EQ(ErrorOf(values.dump()), "");
  Json objects = {{"anyOf", Json::array()}};
  for (int i = 0; i < 60; ++i) {
    Json properties;
    for (int k = 0; k < 100; ++k)
      properties["p" + std::to_string(i * 7 + k)] = {{"type", "string"}};
    objects["anyOf"].push_back({{"type", "object"}, {"properties", properties}});
  }
  ErrorOf(Json({{"allOf", {objects, objects, objects}}}).dump());
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  EXPECT_LT(seconds.count(), 20);
}

}  // namespace
}  // namespace cedar
