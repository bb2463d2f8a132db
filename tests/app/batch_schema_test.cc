// Structured output end to end: whatever the schema and however hot the sampling, an answer that
// was not cut parses and validates.

#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tests/app/batch_lines.h"
#include "tests/app/random_schema.h"
#include "weights/random.h"

namespace cedar::test {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kSchemas = 300;
constexpr int kChoices = 2;

// Raw text, whose prompt is short: a chat would be shown the schema.
std::string Line(const std::string& name, const Json& schema, double temperature) {
  Json body = {{"prompt", "Order " + name + ":"}};
  body["temperature"] = temperature;
  body["top_p"] = 1;
  body["max_tokens"] = 150;
  body["n"] = kChoices;
  body["response_format"] = {{"type", "json_schema"},
                             {"json_schema", {{"name", "s"}, {"schema", schema}}}};
  const Json line = {{"custom_id", name}, {"url", "/v1/completions"}, {"body", body}};
  return line.dump() + "\n";
}

TEST(BatchSchemaTest, AnswersThatWereNotCutValidate) {
  Random random(17);
  std::map<std::string, Json> schemas;
  std::string input;
  for (int i = 0; i < kSchemas; ++i) {
    const std::string name = std::to_string(i);
    schemas[name] = RandomSchema(random);
    input += Line(name, schemas[name], i % 2 == 0 ? 1 : 2);
  }
  const BatchRun run = RunBatch(input);
  EXPECT_EQ(run.process.exit_code, 0) << run.process.err;
  ASSERT_EQ(run.lines.size(), static_cast<size_t>(kSchemas));
  int whole = 0;
  for (const auto& line : run.lines) {
    const Json& schema = schemas.at(line["custom_id"]);
    ASSERT_EQ(line["response"]["status_code"], 200) << line << schema;
    for (const auto& choice : line["response"]["body"]["choices"]) {
      if (choice["finish_reason"] != "stop") continue;
      ++whole;
      const std::string text = choice["text"];
      const Json value = Json::parse(text, nullptr, /*allow_exceptions=*/false);
      ASSERT_FALSE(value.is_discarded()) << text << "\n" << schema;
      EXPECT_EQ(Violation(schema, value, schema), "") << text << "\n" << schema;
    }
  }
  // Drawn text rarely ends a string or an open object by itself.
  EXPECT_GT(whole, kSchemas * kChoices / 3);
}

// The validator itself: values that must not pass.
TEST(BatchSchemaTest, TheValidatorFindsViolations) {
  const std::vector<std::pair<const char*, const char*>> cases = {
      {R"({"type":"integer","minimum":3})", "2"},
      {R"({"type":"integer","maximum":3})", "4"},
      {R"({"type":"integer"})", "1.5"},
      {R"({"type":["null","string"]})", "1"},
      {R"({"const":{"a":1,"b":2}})", R"({"a":1})"},
      {R"({"enum":[1,"x"]})", "\"y\""},
      {R"({"type":"array","minItems":1})", "[]"},
      {R"({"type":"array","maxItems":1})", "[1,2]"},
      {R"({"type":"array","items":{"type":"null"}})", "[null,0]"},
      {R"({"type":"object","required":["a"]})", R"({"b":1})"},
      {R"({"type":"object","properties":{"a":{"type":"null"}}})", R"({"a":1})"},
      {R"({"type":"object","additionalProperties":false})", R"({"a":1})"},
      {R"({"type":"object","additionalProperties":{"type":"null"}})", R"({"a":1})"},
      {R"({"anyOf":[{"const":1},{"const":2}]})", "3"},
      {R"({"$ref":"#/$defs/x","$defs":{"x":{"const":1}}})", "2"}};
  for (const auto& [schema, value] : cases) {
    const Json document = Json::parse(schema);
    EXPECT_NE(Violation(document, Json::parse(value), document), "") << schema << value;
  }
  const Json same = Json::parse(R"({"const":{"a":1,"b":2}})");
  EXPECT_EQ(Violation(same, Json::parse(R"({"b":2,"a":1})"), same), "");
}

}  // namespace
}  // namespace cedar::test
