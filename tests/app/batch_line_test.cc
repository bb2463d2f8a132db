#include "app/batch_line.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "simd/error.h"

namespace cedar {
namespace {

using nlohmann::json;

// A whole line around the fields of a body.
std::string LineOf(const std::string& body) {
  return R"({"custom_id":"a","method":"POST","url":"/v1/chat/completions","body":{)" + body + "}}";
}

constexpr const char* kMessages = R"("messages":[{"role":"user","content":"hi"}])";

std::string With(const std::string& field) { return LineOf(std::string(kMessages) + "," + field); }

BatchRequest Read(const std::string& line) { return ReadBatchRequest(ParseBatchLine(line), line); }

std::string ErrorOf(const std::string& line) {
  try {
    Read(line);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kInput);
    return error.what();
  }
  return "";
}

TEST(BatchLineTest, ASilentLineHasTheDefaultsOfTheRelease) {
  const BatchRequest request = Read(LineOf(kMessages));
  EXPECT_EQ(request.effort, 75);
  EXPECT_EQ(request.sampling.temperature, 1.0);
  EXPECT_EQ(request.sampling.top_p, 0.95);
  EXPECT_EQ(request.sampling.top_k, 0);
  EXPECT_EQ(request.sampling.min_p, 0.0);
  EXPECT_FALSE(request.max_tokens);
  ASSERT_EQ(request.messages.size(), 1u);
  EXPECT_EQ(request.messages[0].role, Role::kUser);
  EXPECT_EQ(request.messages[0].content, "hi");
}

TEST(BatchLineTest, EveryFieldIsRead) {
  const BatchRequest request = Read(LineOf(
      R"("model":"m","messages":[{"role":"system","content":"s"},{"role":"user","content":"q"},)"
      R"({"role":"assistant","content":"a","reasoning_content":"r"},)"
      R"({"role":"user","content":[{"type":"text","text":"x"},{"type":"text","text":"y"}]}],)"
      R"("max_tokens":5,"max_completion_tokens":5,"temperature":0,"top_p":1,"top_k":3,)"
      R"("min_p":0.25,"seed":-1,"reasoning_effort":"max")"));
  EXPECT_EQ(request.model, "m");
  ASSERT_EQ(request.messages.size(), 4u);
  EXPECT_EQ(request.messages[0].role, Role::kSystem);
  EXPECT_EQ(request.messages[2].role, Role::kAssistant);
  EXPECT_EQ(request.messages[2].reasoning, "r");
  EXPECT_EQ(request.messages[3].content, "x\n\ny");
  EXPECT_EQ(request.max_tokens, 5u);
  EXPECT_EQ(request.sampling.temperature, 0.0);
  EXPECT_EQ(request.sampling.top_p, 1.0);
  EXPECT_EQ(request.sampling.top_k, 3);
  EXPECT_EQ(request.sampling.min_p, 0.25);
  EXPECT_EQ(request.seed, ~uint64_t{0});
  EXPECT_EQ(request.effort, 100);
}

TEST(BatchLineTest, Efforts) {
  EXPECT_FALSE(Read(With(R"("reasoning_effort":"none")")).effort);
  EXPECT_EQ(Read(With(R"("reasoning_effort":"low")")).effort, 50);
  EXPECT_EQ(Read(With(R"("reasoning_effort":"high")")).effort, 75);
  EXPECT_EQ(Read(With(R"("reasoning_effort":1)")).effort, 1);
  EXPECT_EQ(Read(With(R"("reasoning_effort":null)")).effort, 75);
}

TEST(BatchLineTest, EitherNameOfTheLimitCounts) {
  EXPECT_EQ(Read(With(R"("max_tokens":5)")).max_tokens, 5u);
  EXPECT_EQ(Read(With(R"("max_completion_tokens":6)")).max_tokens, 6u);
}

TEST(BatchLineTest, ASeedIsGivenOrComesFromTheLine) {
  EXPECT_EQ(Read(With(R"("seed":18446744073709551615)")).seed, 18446744073709551615u);
  const BatchRequest once = Read(With(R"("top_k":1)"));
  EXPECT_EQ(once.seed, Read(With(R"("top_k":1)")).seed);
  EXPECT_NE(once.seed, Read(With(R"("top_k":2)")).seed);
}

TEST(BatchLineTest, ErrorsNameTheField) {
  const std::vector<std::pair<std::string, std::string>> kBad{
      {"", "line: expected JSON"},
      {"{", "line: expected JSON"},
      {"{} {}", "line: expected JSON"},
      {"{\"custom_id\":\"\xff\"}", "line: byte 14: found 0xff, expected UTF-8"},
      {"[]", "line: found [], expected an object"},
      {"{}", "custom_id: missing"},
      {R"({"custom_id":7})", "custom_id: found 7, expected a string"},
      {R"({"custom_id":"a","method":"GET"})", "method: found \"GET\", expected \"POST\""},
      {R"({"custom_id":"a","method":"POST","url":"/v1/embeddings"})",
       "url: found \"/v1/embeddings\", expected \"/v1/chat/completions\""},
      {R"({"custom_id":"a","method":"POST","url":"/v1/chat/completions"})", "body: missing"},
      {R"({"custom_id":"a","method":"POST","url":"/v1/chat/completions","body":{},"x":1})",
       "x: not supported"},
      {std::string(1000000, '['), "line: expected JSON"},
      {std::string(1000000, '[') + std::string(1000000, ']'),
       "line: found a list, expected an obj"},
      {LineOf(""), "body.messages: missing"},
      {LineOf(R"("messages":[])"), "body.messages: found [], expected a list of messages"},
      {LineOf(R"("messages":"hi")"), "body.messages: found \"hi\""},
      {LineOf(R"("messages":["hi"])"), "body.messages[0]: found \"hi\", expected an object"},
      {LineOf(R"("messages":[{"role":"user"}])"), "body.messages[0].content: missing"},
      {LineOf(R"("messages":[{"role":"tool","content":"x"}])"), "body.messages[0].role: found"},
      {LineOf(R"("messages":[{"role":"user","content":7}])"), "body.messages[0].content: found 7"},
      {LineOf(R"("messages":[{"role":"user","content":[{"type":"image_url"}]}])"),
       "body.messages[0].content[0].type: found \"image_url\", expected \"text\""},
      {LineOf(R"("messages":[{"role":"user","content":"x","name":"n"}])"),
       "body.messages[0].name: not supported"},
      {LineOf(R"("messages":[{"role":"user","content":"q"},{"role":"assistant","content":"a"}])"),
       "body.messages: found"},
      {With(R"("stream":true)"), "body.stream: not supported"},
      {With(R"("tools":[])"), "body.tools: not supported"},
      {With(R"("model":7)"), "body.model: found 7, expected a string"},
      {With(R"("max_tokens":0)"), "body.max_tokens: found 0"},
      {With(R"("max_tokens":-1)"), "body.max_tokens: found -1"},
      {With(R"("max_tokens":1.5)"), "body.max_tokens: found 1.5"},
      {With(R"("max_tokens":5,"max_completion_tokens":6)"), "body.max_completion_tokens: found 6"},
      {With(R"("temperature":-0.1)"), "body.temperature: found -0.1"},
      {With(R"("temperature":"0")"), "body.temperature: found \"0\""},
      {With(R"("top_p":0)"), "body.top_p: found 0, expected a number above 0, at most 1"},
      {With(R"("top_p":1.1)"), "body.top_p: found 1.1"},
      {With(R"("top_k":-1)"), "body.top_k: found -1"},
      {With(R"("min_p":2)"), "body.min_p: found 2"},
      {With(R"("seed":1.5)"), "body.seed: found 1.5"},
      {With(R"("reasoning_effort":"medium")"), "body.reasoning_effort: found \"medium\""},
      {With(R"("reasoning_effort":0)"), "body.reasoning_effort: found 0"},
      {With(R"("reasoning_effort":101)"), "body.reasoning_effort: found 101"},
  };
  for (const auto& [line, message] : kBad) {
    EXPECT_EQ(ErrorOf(line).rfind(message, 0), 0u) << line << "\n" << ErrorOf(line);
  }
}

TEST(BatchLineTest, LongValuesAreCutBetweenCodePoints) {
  std::string text;
  while (text.size() < 200) text += "ä";
  const std::string message = ErrorOf(With("\"temperature\":\"" + text + "\""));
  EXPECT_LT(message.size(), 200u);
  EXPECT_NO_THROW(json(message).dump());  // throws on what is not UTF-8
}

TEST(BatchLineTest, AnAnswerInOpenAisShape) {
  const BatchRequest request = Read(With(R"("model":"m")"));
  const std::string line =
      FormatAnswer({7, "a"}, request, {"In Oslo.", "Where?", Finish::kStop, 20, 9, 5});
  EXPECT_EQ(line.back(), '\n');
  EXPECT_EQ(line.find('\n'), line.size() - 1);
  const json answer = json::parse(line);
  EXPECT_EQ(answer["custom_id"], "a");
  EXPECT_TRUE(answer["id"].is_string());
  EXPECT_TRUE(answer["error"].is_null());
  EXPECT_EQ(answer["response"]["status_code"], 200);
  EXPECT_TRUE(answer["response"]["request_id"].is_string());
  const json& body = answer["response"]["body"];
  EXPECT_EQ(body["object"], "chat.completion");
  EXPECT_EQ(body["model"], "m");
  ASSERT_EQ(body["choices"].size(), 1u);
  EXPECT_EQ(body["choices"][0]["index"], 0);
  EXPECT_EQ(body["choices"][0]["finish_reason"], "stop");
  EXPECT_EQ(
      body["choices"][0]["message"],
      (json{{"role", "assistant"}, {"content", "In Oslo."}, {"reasoning_content", "Where?"}}));
  EXPECT_EQ(body["usage"]["prompt_tokens"], 20);
  EXPECT_EQ(body["usage"]["completion_tokens"], 9);
  EXPECT_EQ(body["usage"]["total_tokens"], 29);
  EXPECT_EQ(body["usage"]["completion_tokens_details"]["reasoning_tokens"], 5);
}

TEST(BatchLineTest, WithoutThinkingThereIsNoReasoning) {
  const json answer = json::parse(
      FormatAnswer({1, "a"}, Read(LineOf(kMessages)), {"x", {}, Finish::kLength, 1, 1, 0}));
  const json& choice = answer["response"]["body"]["choices"][0];
  EXPECT_EQ(choice["finish_reason"], "length");
  EXPECT_FALSE(choice["message"].contains("reasoning_content"));
}

TEST(BatchLineTest, AFailureKeepsWhatIsKnown) {
  const json failure = json::parse(FormatFailure({3, {}}, "broken: \xff"));
  EXPECT_TRUE(failure["custom_id"].is_null());
  EXPECT_EQ(failure["response"]["status_code"], 400);
  EXPECT_TRUE(failure["response"]["body"].is_null());
  EXPECT_EQ(failure["error"]["code"], "invalid_request");
  EXPECT_EQ(failure["error"]["message"], "broken: \xEF\xBF\xBD");
  EXPECT_EQ(CustomId(json::parse(R"({"custom_id":"b","body":7})")), "b");
  EXPECT_EQ(CustomId(json::parse("[1]")), std::nullopt);
}

}  // namespace
}  // namespace cedar
