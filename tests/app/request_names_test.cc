// Names of fields: what is known, what is near, and that the page lists the same.

#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "app/field_names.h"
#include "app/text_input.h"
#include "tests/app/request_fixture.h"
#include "tests/paths.h"

namespace cedar {
namespace {

using RequestNames = RequestFixture;

TEST_F(RequestNames, ATypoNamesTheNearestFieldOnEveryLevel) {
  ExpectErrors({
      {R"({"message":[]})", "message: not supported; did you mean \"messages\"?"},
      {R"({"customid":"a","prompt":"p"})", "customid: not supported; did you mean \"custom_id\"?"},
      {R"({"custom_id":"a","bdoy":{}})", "bdoy: not supported; did you mean \"body\"?"},
      {R"({"custom_id":"a","body":{"prompt":"p"},"urll":""})",
       "urll: not supported; did you mean \"url\"?"},
      {LineOf(R"("message":[])"), "body.message: not supported; did you mean \"messages\"?"},
      {With(R"("max_token":5)"), "body.max_token: not supported; did you mean \"max_tokens\"?"},
      {With(R"("maxTokens":5)"), "body.maxTokens: not supported; did you mean \"max_tokens\"?"},
      {With(R"("temprature":0)"), "body.temprature: not supported; did you mean \"temperature\"?"},
      {With(R"("top-p":1)"), "body.top-p: not supported; did you mean \"top_p\"?"},
      {With(R"("frequency":1)"),
       "body.frequency: not supported; did you mean \"frequency_penalty\"?"},
      {LineOf(R"("messages":[{"role":"user","contnet":"x"}])"),
       "body.messages[0].contnet: not supported; did you mean \"content\"?"},
      {LineOf(R"("messages":[{"role":"user","content":[{"type":"text","txt":"x"}]}])"),
       "body.messages[0].content[0].txt: not supported; did you mean \"text\"?"},
      {Then(R"({"role":"assistant","tool_calls":[{"functoin":{}}]})"),
       "body.messages[1].tool_calls[0].functoin: not supported; did you mean \"function\"?"},
      {Then(R"({"role":"assistant","tool_calls":[{"function":{"name":"f","argument":"{}"}}]})"),
       "body.messages[1].tool_calls[0].function.argument: not supported; did you mean "
       "\"arguments\"?"},
      {With(R"("tools":[{"functions":{"name":"f"}}])"),
       "body.tools[0].functions: not supported; did you mean \"function\"?"},
      {With(R"("tools":[{"function":{"name":"f","paramters":{}}}])"),
       "body.tools[0].function.paramters: not supported; did you mean \"parameters\"?"},
      {With(R"("response_format":{"typ":"text"})"), "body.response_format.type: missing"},
      {With(R"("thinking":{"types":"enabled"})"),
       "body.thinking.types: not supported; did you mean \"type\"?"},
      {With(R"("chat_template_kwargs":{"enable_thinkin":true})"),
       "body.chat_template_kwargs.enable_thinkin: not supported; did you mean "
       "\"enable_thinking\"?"},
  });
  // Nothing is near.
  EXPECT_EQ(ErrorOf(With(R"("x":1)")), "body.x: not supported; app/batch/README.md lists what is");
}

TEST_F(RequestNames, WhatIsNotUnderstoodNamesItself) {
  ExpectErrors({
      {R"({"custom_id":"a","params":{"model":"m","max_tokens":5,"messages":[]}})",
       "params: not supported; a line of Anthropic's batches"},
      {R"({"key":"a","request":{"contents":[]}})", "key: not supported"},
      {With(R"("stream":true)"), "body.stream: found true, expected false"},
      {With(R"("functions":[{}])"), "body.functions: not supported; deprecated, expected tools"},
      {With(R"("function_call":"auto")"), "body.function_call: not supported; deprecated"},
      {With(R"("modalities":["text","audio"])"), "body.modalities: found a list, expected"},
      {With(R"("verbosity":"low")"), "body.verbosity: found \"low\", expected \"medium\""},
      {With(R"("best_of":3)"), "body.best_of: found 3, expected 1, as n says"},
      {With(R"("web_search_options":{})"), "body.web_search_options: not supported"},
      {With(R"("extra_body":{"top_k":1})"), "body.extra_body: not supported; an argument of"},
      {With(R"("bad_words":["a"])"), "body.bad_words: not supported"},
      {With(R"("allowed_token_ids":[1])"), "body.allowed_token_ids: not supported"},
      {With(R"("stop_sequences":["a"])"), "body.stop_sequences: not supported; expected stop"},
      {With(R"("max_output_tokens":5)"), "body.max_output_tokens: not supported; expected max_c"},
      {With(R"("prompt":"p")"), "body.prompt: not supported"},
      {R"({"url":"/v1/completions","prompt":"p","suffix":"s"})", "suffix: found \"s\""},
      {R"({"url":"/v1/completions","messages":[{}]})", "messages: not supported; expected prompt"},
      {R"({"custom_id":"a","method":"POST","url":"/v1/chat/completions"})", "body: missing"},
      {With(R"("tools":[{"type":"function","name":"f"}])"), "body.tools[0].name: not supported"},
      {With(R"("tools":[{"type":"web_search"}])"), "body.tools[0].type: found \"web_search\""},
  });
}

TEST_F(RequestNames, WhatCannotMatterChangesNothing) {
  const std::string plain = With(R"("seed":1)");
  for (const FieldName& field : BodyFields()) {
    if (field.kind != FieldKind::kNoEffect) continue;
    const std::string line = With(R"("seed":1,")" + std::string(field.name) + R"(":"any")");
    EXPECT_EQ(ErrorOf(line), "") << line;
  }
  for (const char* fields :
       {R"("user":"u","metadata":{"a":"b"},"store":true,"service_tier":"flex")",
        R"("stream":false,"stream_options":{"include_usage":true},"modalities":["text"])",
        R"("prediction":{"type":"content","content":"x"},"n":1,"best_of":1,"verbosity":"medium")",
        R"("length_penalty":1.0,"use_beam_search":false,"add_special_tokens":false)",
        R"("bad_words":[],"functions":[],"regex":"","logits_processors":[],"documents":[])",
        R"("top_logprobs":0,"logprobs":false,"stop":[],"logit_bias":{},"tools":[])"}) {
    EXPECT_EQ(Prompt(With(R"("seed":1,)" + std::string(fields))), Prompt(plain)) << fields;
  }
}

// Null counts as absent on every level, whatever the field.
TEST_F(RequestNames, NullIsAbsent) {
  const std::string call = R"({"role":"assistant","content":null,"tool_calls":[{"id":"1",)"
                           R"("type":"function","function":{"name":"f","arguments":"{}"}}]},)"
                           R"({"role":"tool","tool_call_id":"1","content":"r"})";
  const std::string tools = R"("tools":[{"type":"function","function":{"name":"f"}}])";
  const nlohmann::ordered_json line = nlohmann::ordered_json::parse(Then(call, tools));
  const std::string expected = Prompt(line.dump());
  const auto with_nulls = [&](const std::string& pointer,
                              std::vector<std::span<const FieldName>> tables) {
    for (const auto& table : tables) {
      for (const FieldName& field : table) {
        nlohmann::ordered_json changed = line;
        auto& object = changed[nlohmann::ordered_json::json_pointer(pointer)];
        if (object.contains(field.name)) continue;
        object[std::string(field.name)] = nullptr;
        EXPECT_EQ(ErrorOf(changed.dump()), "") << pointer << " " << field.name;
        EXPECT_EQ(Prompt(changed.dump()), expected) << pointer << " " << field.name;
      }
    }
  };
  with_nulls("", {LineFields()});
  with_nulls("/body", {BodyFields(), ChatFields()});
  for (const char* i : {"0", "1", "2"}) {
    with_nulls("/body/messages/" + std::string(i), {MessageFields()});
  }
  with_nulls("/body/messages/1/tool_calls/0", {CallFields()});
  with_nulls("/body/tools/0", {ToolFields()});
  with_nulls("/body/tools/0/function", {FunctionFields()});
  EXPECT_EQ(ErrorOf(With(R"("response_format":{"type":"text","json_schema":null})")), "");
  EXPECT_EQ(
      ErrorOf(With(R"("response_format":{"type":"json_schema","json_schema":)"
                   R"({"name":"n","description":null,"strict":null,"schema":{"type":"null"}}})")),
      "");
  EXPECT_EQ(ErrorOf(With(R"("chat_template_kwargs":{"thinking":null,"other":null})")), "");
  EXPECT_EQ(ErrorOf(With(R"("thinking":{"type":null},"reasoning":{"effort":null})")), "");
  EXPECT_TRUE(Read(With(R"("logit_bias":{"5":null})")).answer.logit_bias.empty());
  EXPECT_EQ(ErrorOf(With(R"("messages":null)")),
            "line: found the key \"messages\" a second time "
            "in its object, expected each key once");
  EXPECT_EQ(ErrorOf(LineOf(R"("messages":null)")), "body.messages: missing");
}

TEST_F(RequestNames, WholeNumbersMayHaveAPoint) {
  const BatchRequest request = Read(With(
      R"("max_tokens":16.0,"n":2.0,"top_k":3.0,"seed":7.0,"stop_token_ids":[5.0],"min_tokens":1e0,)"
      R"("logprobs":true,"top_logprobs":2.0,"reasoning_effort":80.0)"));
  EXPECT_EQ(request.answer.max_tokens, 16u);
  EXPECT_EQ(request.choices, 2u);
  EXPECT_EQ(request.answer.sampling.top_k, 3u);
  EXPECT_EQ(request.answer.seed, 7u);
  EXPECT_EQ(request.answer.stop_ids, (std::vector<int32_t>{5}));
  EXPECT_EQ(request.answer.min_tokens, 1u);
  EXPECT_EQ(request.answer.top_logprobs, 2u);
  EXPECT_EQ(Read(With(R"("seed":-2.0)")).answer.seed, ~uint64_t{1});
  EXPECT_EQ(Read(R"({"url":"/completions","prompt":[5.0,6]})").prompts[0],
            (std::vector<int32_t>{5, 6}));
  ExpectErrors({{With(R"("max_tokens":16.5)"), "body.max_tokens: found 16.5"},
                {With(R"("max_tokens":1e300)"), "body.max_tokens: found 1e+300"},
                {With(R"("max_tokens":-1.0)"), "body.max_tokens: found -1.0"},
                {With(R"("seed":0.5)"), "body.seed: found 0.5, expected a whole number"}});
}

// The table rows under each heading of app/batch/README.md: name and what becomes of it.
std::map<std::string, std::map<std::string, std::string>> PageTables() {
  std::map<std::string, std::map<std::string, std::string>> tables;
  std::istringstream page(ReadFile(SourcePath("app/batch/README.md")));
  std::string heading;
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("### ")) heading = line.substr(4);
    if (heading.empty() || !line.starts_with("| `")) continue;
    const size_t end = line.find(" | ", 2);
    std::string names = line.substr(2, end - 2);
    const std::string rest = line.substr(end + 3);
    const std::string kind = rest.substr(0, rest.find_first_of(",;: |"));
    for (size_t at = names.find('`'); at != names.npos; at = names.find('`', at + 1)) {
      const size_t close = names.find('`', at + 1);
      tables[heading][names.substr(at + 1, close - at - 1)] = kind;
      at = close;
    }
  }
  return tables;
}

TEST_F(RequestNames, ThePageListsAllFields) {
  const std::map<FieldKind, std::string> kinds = {{FieldKind::kUnderstood, "understood"},
                                                  {FieldKind::kOnly, "only"},
                                                  {FieldKind::kNoEffect, "no"},
                                                  {FieldKind::kRefused, "refused"}};
  const std::map<std::string, std::span<const FieldName>> levels = {
      {"Lines", LineFields()},        {"Bodies", BodyFields()},
      {"Chats", ChatFields()},        {"Completions", CompletionFields()},
      {"Messages", MessageFields()},  {"Parts of a message", PartFields()},
      {"Calls", CallFields()},        {"Tools", ToolFields()},
      {"Functions", FunctionFields()}};
  const auto page = PageTables();
  EXPECT_EQ(page.size(), levels.size());
  for (const auto& [heading, fields] : levels) {
    std::map<std::string, std::string> expected;
    for (const FieldName& field : fields) expected[std::string(field.name)] = kinds.at(field.kind);
    ASSERT_TRUE(page.contains(heading)) << heading;
    EXPECT_EQ(page.at(heading), expected) << heading;
  }
}

}  // namespace
}  // namespace cedar
