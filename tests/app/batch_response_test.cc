#include "app/batch_response.h"

#include <gtest/gtest.h>

#include <string>

#include "app/batch_line.h"
#include "app/model_source.h"
#include "engine/engine.h"

namespace cedar {
namespace {

using json = nlohmann::ordered_json;

class BatchResponseTest : public testing::Test {
 protected:
  // A chat of one message with one more field.
  BatchRequest Read(const std::string& field) {
    const std::string line = R"({"messages":[{"role":"user","content":"hi"}],)" + field + "}";
    return reader_.Read(ParseBatchLine(line), Digest(line));
  }

  Engine engine_{OpenModel(kDemoModel), {}};
  RequestReader reader_{engine_.tokenizer(), engine_.config().vocab, {}};
};

TEST_F(BatchResponseTest, AnAnswerInOpenAisShape) {
  const BatchRequest request = Read(R"("model":"m")");
  Answer spoken;
  spoken.content = "In Oslo.";
  spoken.reasoning = "Where?";
  spoken.tokens = 9;
  spoken.reasoning_tokens = 5;
  const std::string line =
      FormatAnswer(engine_.tokenizer(), {"a", 7, 0}, request, {{0, spoken, {}, 4}});
  const size_t prompt_tokens = request.prompts[0].size();
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
  EXPECT_EQ(body["usage"]["prompt_tokens"], prompt_tokens);
  EXPECT_EQ(body["usage"]["completion_tokens"], 9);
  EXPECT_EQ(body["usage"]["total_tokens"], prompt_tokens + 9);
  EXPECT_EQ(body["usage"]["prompt_tokens_details"]["cached_tokens"], 4);
  EXPECT_EQ(body["usage"]["completion_tokens_details"]["reasoning_tokens"], 5);
}

TEST_F(BatchResponseTest, WithoutThinkingThereIsNoReasoning) {
  Answer spoken;
  spoken.content = "x";
  spoken.finish = FinishReason::kLength;
  const json answer = json::parse(
      FormatAnswer(engine_.tokenizer(), {"a", 1, 0}, Read(R"("seed":1)"), {{0, spoken, {}}}));
  const json& choice = answer["response"]["body"]["choices"][0];
  EXPECT_EQ(choice["finish_reason"], "length");
  EXPECT_FALSE(choice["message"].contains("reasoning_content"));
}

TEST_F(BatchResponseTest, AFailureKeepsWhatIsKnown) {
  const json failure =
      json::parse(FormatFailure({"line-3", 3, 0}, "invalid_request", "broken: \xff"));
  EXPECT_EQ(failure["custom_id"], "line-3");
  EXPECT_EQ(failure["response"]["status_code"], 400);
  EXPECT_TRUE(failure["response"]["body"].is_null());
  EXPECT_EQ(failure["error"]["code"], "invalid_request");
  EXPECT_EQ(failure["error"]["message"], "broken: \xEF\xBF\xBD");
  EXPECT_EQ(CustomId(json::parse(R"({"custom_id":"b","body":7})")), "b");
  EXPECT_EQ(CustomId(json::parse("[1]")), std::nullopt);
}

}  // namespace
}  // namespace cedar
