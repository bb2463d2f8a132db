#include "app/answer_form.h"

#include <gtest/gtest.h>

#include <regex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/answer_grammar.h"
#include "app/batch_line.h"
#include "app/model_source.h"
#include "app/token_trie.h"
#include "engine/engine.h"
#include "simd/error.h"
#include "tests/app/batch_lines.h"
#include "tests/app/grammar_texts.h"

namespace cedar {
namespace {

using Json = nlohmann::ordered_json;
using Kind = AnswerForm::Kind;

AnswerForm FormOf(const char* text) {
  const Json body = Json::parse(text);
  JsonFields fields(body, "body");
  return TakeAnswerForm(fields);
}

std::string ErrorOf(const char* text) {
  try {
    const AnswerForm form = FormOf(text);
    if (form.kind != Kind::kFree) GrammarOfForm(form);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

bool IsAnswer(const char* body, std::string_view text) {
  return IsText(*GrammarOfForm(FormOf(body)), text);
}

TEST(AnswerFormTest, FieldsOfVllm) {
  for (const char* body :
       {R"({"structured_outputs": {"json": {"enum": [1]}}})",
        R"({"structured_outputs": {"json": "{\"enum\": [1]}", "regex": null}})",
        R"({"guided_json": {"enum": [1]}, "guided_decoding_backend": "outlines"})",
        R"({"guided_json": "{\"const\": 1}", "guided_regex": null, "response_format": null})",
        R"({"response_format": {"type": "json_object", "schema": {"enum": [1]}}})",
        R"({"response_format": {"type": "text"}, "guided_json": {"enum": [1]}})"}) {
    EXPECT_TRUE(IsAnswer(body, "1")) << body;
    EXPECT_FALSE(IsAnswer(body, "2")) << body;
  }
  for (const char* body : {R"({"structured_outputs": {"regex": "a+|b"}})",
                           R"({"guided_regex": "^(a+|b)$", "guided_grammar": null})"}) {
    EXPECT_TRUE(IsAnswer(body, "aaa")) << body;
    EXPECT_FALSE(IsAnswer(body, "ab")) << body;
  }
  for (const char* body : {R"({"structured_outputs": {"choice": ["yes", "no \"1\""]}})",
                           R"({"guided_choice": ["yes", "no \"1\""]})"}) {
    EXPECT_TRUE(IsAnswer(body, "no \"1\"")) << body;
    EXPECT_FALSE(IsAnswer(body, "\"yes\"")) << body;
  }
  EXPECT_TRUE(IsAnswer(R"({"structured_outputs": {"json_object": true, "json": null,
      "disable_any_whitespace": false, "whitespace_pattern": null}})",
                       R"({"a": 1})"));
  EXPECT_EQ(FormOf(R"({"structured_outputs": null})").kind, Kind::kFree);
  // As vLLM, they say nothing to the model; response_format does (text.md, C.2).
  EXPECT_EQ(FormOf(R"({"guided_json": {"enum": [1]}})").told, "");
  EXPECT_EQ(FormOf(R"({"response_format": {"type": "json_schema",
      "json_schema": {"name": "n", "schema": {"enum": [1]}}}})")
                .told,
            R"({"enum": [1]})");
}

TEST(AnswerFormTest, WhatIsRefusedIsNamed) {
  const std::pair<const char*, const char*> cases[] = {
      {R"({"structured_outputs": {"grammar": "root ::= x"}})", "body.structured_outputs.grammar:"},
      {R"({"structured_outputs": {"structural_tag": "{}"}})",
       "body.structured_outputs.structural_tag:"},
      {R"({"structured_outputs": {"json": {}, "whitespace_pattern": " "}})",
       "body.structured_outputs.whitespace_pattern:"},
      {R"({"structured_outputs": {"json": {}, "disable_any_whitespace": true}})",
       "body.structured_outputs.disable_any_whitespace:"},
      {R"({"structured_outputs": {"json": {}, "regexp": "a"}})", "body.structured_outputs.regexp:"},
      {R"({"structured_outputs": {}})", "body.structured_outputs: expected one of"},
      {R"({"structured_outputs": {"json": {}, "regex": "a"}})",
       "body.structured_outputs.regex: only one may say"},
      {R"({"guided_regex": "a", "response_format": {"type": "json_object"}})",
       "body.guided_regex: only one may say"},
      {R"({"guided_regex": "a", "guided_choice": ["a"]})", "body.guided_choice: only one may say"},
      {R"({"response_format": {"type": "structural_tag"}})",
       "body.response_format.type: found \"structural_tag\""},
      {R"({"guided_choice": []})", "body.guided_choice: found []"},
      {R"({"guided_choice": ["a", 1]})", "body.guided_choice: found 1"},
      {R"({"guided_regex": "(?<=a)b"})", "body.guided_regex: character 2: look-behind"},
      {R"({"guided_json": "{"})", "body.guided_json: byte"},
      {R"({"guided_json": 5})", "body.guided_json: found 5"},
  };
  for (const auto& [body, message] : cases) {
    EXPECT_EQ(ErrorOf(body).rfind(message, 0), 0u) << body << "\n" << ErrorOf(body);
  }
}

// The mark of calls in a text is the byte that stands for it in grammars.
std::string Call(const std::string& name, const std::string& mark = {kDsmlByte}) {
  return "<" + mark + " invoke name=\"" + name + "\">\n\n</" + mark + " invoke>";
}
std::string Block(const std::string& calls, const std::string& mark = {kDsmlByte}) {
  return "\n\n<" + mark + " calls>\n" + calls + "\n</" + mark + " calls>";
}

TEST(AnswerFormTest, CallsOrAnotherForm) {
  const std::vector<CallableTool> tools = {{.name = "f", .parameters = nullptr}};
  const auto grammar = GrammarWithCalls(FormOf(R"({"guided_choice": ["yes", "no"]})"), tools,
                                        {.opened = false, .several = true});
  EXPECT_TRUE(IsText(*grammar, "yes"));
  EXPECT_TRUE(IsText(*grammar, Block(Call("f"))));
  EXPECT_TRUE(IsText(*grammar, Block(Call("f") + "\n" + Call("f"))));
  for (const std::string& text : {std::string("yes") + Block(Call("f")), Block(Call("g")),
                                  std::string("maybe"), std::string("")}) {
    EXPECT_FALSE(IsText(*grammar, text)) << text;
  }
}

// Text is free until calls begin; these are held to one, and to tools that are allowed.
TEST(AnswerFormTest, CallsBehindFreeText) {
  const std::vector<CallableTool> tools = {{.name = "f", .parameters = nullptr}};
  const auto grammar = GrammarWithCalls({}, tools, {.opened = false, .several = false});
  const std::string text = "Any text < of \"any\" kind\n\n<｜ é 😀 DSML";
  EXPECT_TRUE(IsText(*grammar, ""));
  EXPECT_TRUE(IsText(*grammar, text));
  EXPECT_TRUE(IsText(*grammar, text + Block(Call("f"))));
  EXPECT_TRUE(IsText(*grammar, Block(Call("f"))));
  for (const std::string& no :
       {Block(Call("g")), Block(Call("f") + "\n" + Call("f")), Block(Call("f")) + "and more",
        text + std::string(1, kDsmlByte), Block(Call("g", "｜DSML｜"), "｜DSML｜")}) {
    EXPECT_FALSE(IsText(*grammar, no)) << no;
  }
}

class AnswerFormLineTest : public testing::Test {
 protected:
  // Of a chat with two tools and these fields.
  BatchRequest Read(const std::string& fields) {
    const std::string line =
        R"({"messages":[{"role":"user","content":"hi"}],"tools":[{"type":"function","function":)"
        R"({"name":"f"}},{"type":"function","function":{"name":"g"}}])" +
        fields + "}";
    return reader_.Read(ParseBatchLine(line), Digest(line));
  }
  std::string ErrorOf(const std::string& fields) {
    try {
      Read(fields);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }

  Engine engine_{OpenModel(kDemoModel), {}};
  RequestReader reader_{engine_.tokenizer(), engine_.config().vocab, {}};
};

TEST_F(AnswerFormLineTest, BesideTools) {
  const std::string format = R"(,"response_format":{"type":"json_object"})";
  const auto both = Read(format).answer.grammar;
  EXPECT_NE(both, nullptr);
  EXPECT_EQ(Read(format + R"(,"tool_choice":"auto")").answer.grammar, both);
  EXPECT_NE(Read(format + R"(,"tool_choice":"none")").answer.grammar, both);
  EXPECT_NE(Read(format + R"(,"parallel_tool_calls":false)").answer.grammar, both);
  EXPECT_FALSE(Read(format).answer.must_call);
  EXPECT_TRUE(Read(format).answer.parse_calls);
  EXPECT_EQ(ErrorOf(format + R"(,"tool_choice":"required")")
                .rfind("tool_choice: a call is wanted, and by response_format", 0),
            0u);
}

TEST_F(AnswerFormLineTest, AllowedTools) {
  const auto allowed = [](const std::string& mode, const std::string& tools) {
    return R"(,"tool_choice":{"type":"allowed_tools","allowed_tools":{"mode":")" + mode +
           R"(","tools":[)" + tools + "]}}";
  };
  const std::string f = R"({"type":"function","function":{"name":"f"}})";
  const auto grammar = [&](const std::string& fields) { return Read(fields).answer.grammar; };
  EXPECT_EQ(grammar(""), nullptr);
  EXPECT_NE(grammar(allowed("auto", f)), nullptr);
  EXPECT_FALSE(Read(allowed("auto", f)).answer.must_call);
  EXPECT_TRUE(Read(allowed("required", f)).answer.must_call);
  // Without the inner objects it is the same.
  EXPECT_EQ(grammar(allowed("auto", f)),
            grammar(R"(,"tool_choice":{"type":"allowed_tools","mode":"auto",)"
                    R"("tools":[{"type":"function","name":"f"}]})"));
  EXPECT_NE(grammar(allowed("auto", f)),
            grammar(allowed("auto", f) + R"(,"parallel_tool_calls":false)"));
  EXPECT_EQ(grammar(R"(,"tool_choice":{"type":"function","name":"f"})"),
            grammar(R"(,"tool_choice":{"type":"function","function":{"name":"f"}})"));
  const std::pair<std::string, const char*> cases[] = {
      {allowed("auto", R"({"type":"function","function":{"name":"h"}})"),
       "tool_choice.allowed_tools.tools[0].function.name: found \"h\", expected one of the tools: "
       "f, g"},
      {allowed("never", f), "tool_choice.allowed_tools.mode: found \"never\""},
      {allowed("auto", ""), "tool_choice.allowed_tools.tools: found []"},
      {allowed("auto", R"({"type":"mcp"})"),
       "tool_choice.allowed_tools.tools[0].type: found \"mcp\""},
      {R"(,"tool_choice":{"type":"allowed_tools"})", "tool_choice.tools: missing"},
      {allowed("auto", f) + R"(,"ignore_eos":true)",
       "ignore_eos: found true, expected false, as tool_choice says"},
      {R"(,"guided_grammar":"root ::= x")", "guided_grammar: not supported"},
      {R"(,"structural_tag":"{}")", "structural_tag: not supported"},
  };
  for (const auto& [fields, message] : cases) {
    EXPECT_EQ(ErrorOf(fields).rfind(message, 0), 0u) << fields << "\n" << ErrorOf(fields);
  }
}

// The demo model was never taught any of it.
TEST(AnswerFormBatchTest, AnswersHaveTheForm) {
  const std::pair<const char*, const char*> forms[] = {
      {R"({"guided_choice": ["Park", "Klein"]})", "(Park|Klein)"},
      {R"({"structured_outputs": {"regex": "[A-C]{2}-\\d{3}"}})", "[A-C]{2}-[0-9]{3}"},
      {R"({"structured_outputs": {"json": "{\"enum\": [\"a\", 2]}"}})", "\"a\"|2"},
      {R"({"guided_json": {"type": "integer", "minimum": 1, "maximum": 9}})", "[1-9]"}};
  std::string input;
  for (const auto& [form, expected] : forms) {
    for (const char* url : {"/v1/completions", "/v1/chat/completions"}) {
      Json body = Json::parse(form);
      body["prompt"] = "Order:";
      body["temperature"] = 1;
      body["max_tokens"] = 60;
      body["reasoning_effort"] = "none";
      if (std::string(url) == "/v1/completions") body.erase("reasoning_effort");
      const Json line = {{"custom_id", form + std::string(url)}, {"url", url}, {"body", body}};
      input += line.dump() + "\n";
    }
  }
  const test::BatchRun run = test::RunBatch(input);
  ASSERT_EQ(run.process.exit_code, 0) << run.process.err;
  ASSERT_EQ(run.lines.size(), 8u);
  for (const auto& line : run.lines) {
    const auto& choice = line["response"]["body"]["choices"][0];
    const std::string id = line["custom_id"];
    if (choice["finish_reason"] != "stop") continue;
    const std::string text =
        choice.contains("text") ? choice["text"] : choice["message"]["content"];
    for (const auto& [form, expected] : forms) {
      if (!id.starts_with(form)) continue;
      EXPECT_TRUE(std::regex_match(text, std::regex(expected))) << id << " " << text;
    }
  }
}

}  // namespace
}  // namespace cedar
