// What vLLM's fields do to an answer and to the response around it.

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/batch_response.h"
#include "app/control_names.h"
#include "app/token_chooser.h"
#include "tests/app/batch_lines.h"
#include "tests/app/request_fixture.h"

namespace cedar {
namespace {

using json = nlohmann::json;

class RequestOutput : public RequestFixture {
 protected:
  int32_t Control(std::string_view name) { return *engine_.tokenizer().FindControl(name); }
  std::vector<int32_t> Ids(const std::string& text) {
    return engine_.tokenizer().EncodePlain(text);
  }

  // The answer of a line to these tokens, and then to the one that ends it.
  Answer Build(const std::string& line, const std::vector<int32_t>& ids, int32_t end) {
    AnswerOptions options = Read(line).answer;
    options.max_tokens = 1000;
    AnswerBuilder builder(tokens_, options);
    for (const int32_t id : ids) {
      if (builder.Push({{id, -1}, {}})) return builder.Finish();
    }
    builder.PushEnd(end);
    return builder.Finish();
  }
  json Body(const std::string& line, const AnswerChoice& choice) {
    return json::parse(
        FormatAnswer(engine_.tokenizer(), {"a", 1, 0}, Read(line), {choice}))["response"]["body"];
  }

  ModelTokens tokens_{engine_.tokenizer(), engine_.config().vocab};
};

std::string Raw(const std::string& fields) {
  return R"({"url":"/v1/completions","body":{"prompt":"hi",)" + fields + "}}";
}

TEST_F(RequestOutput, ControlTokensAreTextOnlyWhereAskedFor) {
  std::vector<int32_t> ids = Ids("a");
  for (const std::string_view name : {kEndOfText, kUserTurn}) ids.push_back(Control(name));
  ids.push_back(Ids("b")[0]);
  const int32_t end = Control(kEndOfText);
  const std::string quiet = R"("reasoning_effort":"none","ignore_eos":true)";
  const std::string shown = R"("skip_special_tokens":false)";
  const std::string all = "a" + std::string(kEndOfText) + std::string(kUserTurn) + "b";
  EXPECT_EQ(Build(With(quiet), ids, end).content, "ab");
  EXPECT_EQ(Build(Raw(R"("ignore_eos":true)"), ids, end).content, "ab");
  EXPECT_EQ(Build(With(quiet + "," + shown), ids, end).content, all);
  EXPECT_EQ(Build(Raw(shown), ids, end).content, all);
  EXPECT_EQ(Build(With(quiet), ids, end).tokens, 5u);
}

TEST_F(RequestOutput, WhatEndedTheAnswerMayBeKept) {
  const std::string keep = R"("reasoning_effort":"none","include_stop_str_in_output":true)";
  const int32_t x = Ids("x")[0], end = Control(kEndOfText);
  EXPECT_EQ(Build(With(keep + R"(,"stop":["lo","l"])"), Ids("hello"), end).content, "hel");
  EXPECT_EQ(Build(With(R"("reasoning_effort":"none","stop":["lo"])"), Ids("hello"), end).content,
            "hel");
  EXPECT_EQ(Build(With(keep + R"(,"stop":["lo"])"), Ids("hello"), end).content, "hello");
  EXPECT_EQ(Build(With(keep), Ids("hi"), x).content, "hix");
  EXPECT_EQ(Build(With(keep), Ids("hi"), end).content, "hi");
  EXPECT_EQ(Build(With(R"("reasoning_effort":"none")"), Ids("hi"), x).content, "hi");
}

TEST_F(RequestOutput, OffsetsCountCharacters) {
  const std::string line = Raw(R"("echo":true,"logprobs":0)");
  BatchRequest request = Read(line);
  AnswerChoice choice;
  const std::vector<int32_t> answer = Ids("ä€b");
  ASSERT_GT(answer.size(), 3u);  // a character of several tokens
  for (const int32_t id : answer) choice.answer.logprobs.push_back({{id, -1}, {}});
  for (size_t i = 1; i < request.prompts[0].size(); ++i) {
    choice.prompt_logprobs.push_back({{request.prompts[0][i], -1}, {}});
  }
  choice.answer.content = "ä€b";
  const json logprobs = Body(line, choice)["choices"][0]["logprobs"];
  const std::vector<size_t> offsets = logprobs["text_offset"];
  const size_t prompt = request.prompts[0].size();
  ASSERT_EQ(offsets.size(), prompt + answer.size());
  EXPECT_EQ(offsets[0], 0u);
  EXPECT_EQ(offsets[prompt], 2u);  // behind "hi"
  EXPECT_EQ(offsets.back(), 4u);   // of "b", behind two characters more
}

TEST_F(RequestOutput, TokensByTheirIds) {
  const std::string line = With(R"("logprobs":true,"top_logprobs":1,"return_token_ids":true,)"
                                R"("return_tokens_as_token_ids":true)");
  AnswerChoice choice;
  choice.answer = Build(line, Ids("a"), Control(kEndOfText));
  const int32_t a = Ids("a")[0];
  choice.answer.logprobs[0].top = {{a, -1}};
  const json body = Body(line, choice);
  EXPECT_EQ(body["choices"][0]["token_ids"], (json{a, Control(kEndOfText)}));
  EXPECT_EQ(body["prompt_token_ids"], json(Read(line).prompts[0]));
  const json& token = body["choices"][0]["logprobs"]["content"][0];
  EXPECT_EQ(token["token"], "token_id:" + std::to_string(a));
  EXPECT_EQ(token["top_logprobs"][0]["token"], "token_id:" + std::to_string(a));
}

TEST_F(RequestOutput, ThoughtsMayBeHidden) {
  AnswerChoice choice;
  choice.answer.reasoning = "why";
  choice.answer.content = "a";
  EXPECT_TRUE(
      Body(With(R"("seed":1)"), choice)["choices"][0]["message"].contains("reasoning_content"));
  EXPECT_FALSE(Body(With(R"("include_reasoning":false)"), choice)["choices"][0]["message"].contains(
      "reasoning_content"));
}

TEST_F(RequestOutput, RanksBeginAtOne) {
  const std::vector<float> logits = {1, 3, 2};
  EXPECT_EQ(LogprobsOf(logits, 1, 0).rank, 1u);
  EXPECT_EQ(LogprobsOf(logits, 0, 0).rank, 3u);
}

// Through the program: prompts are scored, cut and echoed.
TEST_F(RequestOutput, PromptsAreScoredAndCut) {
  using namespace test;
  const json ask = {{"messages", {{{"role", "user"}, {"content", "hi"}}}},
                    {"reasoning_effort", "none"},
                    {"temperature", 0},
                    {"max_tokens", 1}};
  json scored = ask, cut = ask, gone_on = ask;
  scored["prompt_logprobs"] = 2;
  scored["max_tokens"] = 0;
  cut["truncate_prompt_tokens"] = 2;
  cut["return_token_ids"] = true;
  gone_on["messages"].push_back({{"role", "assistant"}, {"content", "By "}});
  gone_on["continue_final_message"] = true;
  gone_on["echo"] = true;
  json raw = {
      {"prompt", "hi there"}, {"prompt_logprobs", 0}, {"max_tokens", 1}, {"model", "other"}};
  json raw_line = {{"custom_id", "raw"}, {"url", "completions"}, {"body", raw}};
  const BatchRun run = RunBatch(BatchLine("scored", scored) + BatchLine("cut", cut) +
                                BatchLine("on", gone_on) + raw_line.dump() + "\n");
  EXPECT_EQ(run.process.exit_code, 0) << run.process.err;
  EXPECT_NE(run.process.err.find("the model \"other\", and demo answers"), std::string::npos);
  ASSERT_EQ(run.lines.size(), 4u);
  for (const json& line : run.lines) {
    const json& body = line["response"]["body"];
    const json& choice = body["choices"][0];
    if (line["custom_id"] == "scored") {
      const json& places = body["prompt_logprobs"];
      ASSERT_EQ(places.size(), body["usage"]["prompt_tokens"]);
      EXPECT_TRUE(places[0].is_null());
      const int32_t id =
          Read(LineOf(std::string(kMessages) + R"(,"reasoning_effort":"none")")).prompts[0][1];
      ASSERT_TRUE(places[1].contains(std::to_string(id))) << places[1];
      const json& token = places[1][std::to_string(id)];
      EXPECT_LE(token["logprob"], 0);
      EXPECT_GE(token["rank"], 1);
      EXPECT_EQ(token["decoded_token"], "<｜User｜>");
      EXPECT_LE(places[1].size(), 3u);
      EXPECT_GE(places[1].size(), 2u);
    } else if (line["custom_id"] == "cut") {
      EXPECT_EQ(body["usage"]["prompt_tokens"], 2);
      EXPECT_EQ(body["prompt_token_ids"].size(), 2u);
    } else if (line["custom_id"] == "on") {
      EXPECT_EQ(choice["message"]["content"].get<std::string>().rfind("By ", 0), 0u);
    } else {
      EXPECT_EQ(choice["prompt_logprobs"].size(), body["usage"]["prompt_tokens"]);
      EXPECT_EQ(choice["prompt_logprobs"][1].size(), 1u);
    }
  }
}

}  // namespace
}  // namespace cedar
