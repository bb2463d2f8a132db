// How much to think, in the words of several servers; and where requests are sent.

#include <string>
#include <vector>

#include "app/request_url.h"
#include "tests/app/request_fixture.h"

namespace cedar {
namespace {

using RequestThinking = RequestFixture;

TEST_F(RequestThinking, Efforts) {
  const std::vector<std::pair<std::string, std::string>> kEfforts = {
      {R"("reasoning_effort":"minimal")", "50"},
      {R"("reasoning_effort":"low")", "50"},
      {R"("reasoning_effort":"medium")", "75"},
      {R"("reasoning_effort":"high")", "75"},
      {R"("reasoning_effort":"xhigh")", "75"},
      {R"("reasoning_effort":"max")", "100"},
      {R"("reasoning_effort":33)", "33"},
      {R"("reasoning_effort":null)", "75"},
      {R"("reasoning":{"effort":"low","summary":"auto"})", "50"},
      {R"("reasoning":{"enabled":true})", "75"},
      {R"("chat_template_kwargs":{"reasoning_effort":"max"})", "100"},
      {R"("thinking":{"type":"enabled"})", "75"},
      {R"("thinking":{"type":"enabled"},"reasoning_effort":"low")", "50"},
      {R"("chat_template_kwargs":{"thinking":true,"enable_thinking":true})", "75"}};
  for (const auto& [field, effort] : kEfforts) {
    EXPECT_NE(Prompt(With(field)).find("Reasoning Effort: " + effort + " "), std::string::npos)
        << field;
    EXPECT_TRUE(Read(With(field)).answer.thinking) << field;
  }
}

TEST_F(RequestThinking, NoThoughts) {
  const std::string plain = Prompt(With(R"("reasoning_effort":"none")"));
  EXPECT_EQ(plain.find("Reasoning Effort"), std::string::npos);
  for (const char* field : {R"("thinking":{"type":"disabled"})", R"("reasoning":{"effort":"none"})",
                            R"("reasoning":{"enabled":false})", R"("enable_thinking":false)",
                            R"("chat_template_kwargs":{"thinking":false})",
                            R"("chat_template_kwargs":{"enable_thinking":false})",
                            R"("chat_template_kwargs":{"reasoning_effort":"none"})",
                            // An effort is how much, if at all.
                            R"("thinking":{"type":"disabled"},"reasoning_effort":"high")"}) {
    EXPECT_EQ(Prompt(With(field)), plain) << field;
    EXPECT_FALSE(Read(With(field)).answer.thinking) << field;
  }
}

TEST_F(RequestThinking, ContradictionsNameBoth) {
  ExpectErrors({
      {With(R"("reasoning_effort":"none","thinking":{"type":"enabled"})"),
       "body.thinking.type: found \"enabled\", expected no contradiction to "
       "body.reasoning_effort, which is \"none\""},
      {With(R"("reasoning_effort":"low","reasoning":{"effort":"high"})"),
       "body.reasoning.effort: found \"high\", expected no contradiction to "
       "body.reasoning_effort, which is \"low\""},
      {With(R"("thinking":{"type":"disabled"},"chat_template_kwargs":{"thinking":true})"),
       "body.chat_template_kwargs.thinking: found true, expected no contradiction to "
       "body.thinking.type, which is \"disabled\""},
      {With(R"("chat_template_kwargs":{"thinking":true,"enable_thinking":false})"),
       "body.chat_template_kwargs.enable_thinking: found false, expected no contradiction to "
       "body.chat_template_kwargs.thinking, which is true"},
      {With(R"("chat_template_kwargs":{"drop_thinking":true,"preserve_thinking":true})"),
       "body.chat_template_kwargs.drop_thinking: found true"},
      {With(R"("thinking":{"type":"adaptive"})"), "body.thinking.type: found \"adaptive\""},
      {With(R"("thinking":true)"), "body.thinking: found true, expected an object"},
      {With(R"("reasoning_effort":"middle")"), "body.reasoning_effort: found \"middle\""},
  });
}

TEST_F(RequestThinking, Budgets) {
  for (const char* field :
       {R"("thinking_token_budget":9)", R"("thinking_budget":9)",
        R"("thinking":{"type":"enabled","budget_tokens":9})", R"("reasoning":{"max_tokens":9})"}) {
    EXPECT_EQ(Read(With(field)).answer.max_thinking, 9u) << field;
  }
  EXPECT_EQ(Read(With(R"("seed":1)")).answer.max_thinking, std::nullopt);
  EXPECT_FALSE(Read(With(R"("include_reasoning":false)")).response.reasoning);
  EXPECT_FALSE(Read(With(R"("reasoning":{"exclude":true})")).response.reasoning);
}

TEST(RequestUrl, Endpoints) {
  for (const char* url :
       {"/v1/chat/completions", "/chat/completions", "v1/chat/completions", "chat/completions",
        "/v1/chat/completions/", "https://api.openai.com/v1/chat/completions",
        "http://localhost:8000/v1/chat/completions", "http://[::1]:8000/chat/completions",
        "/openai/v1/chat/completions", "/api/v1/chat/completions",
        "/v1beta/openai/chat/completions", "/openai/deployments/d/chat/completions?api-version=1",
        "localhost:8000/v1/chat/completions", "api.example.com/v1/chat/completions",
        "https://x.openai.azure.com/openai/deployments/d/chat/completions?api-version=2024"}) {
    EXPECT_EQ(EndpointOf(url), Endpoint::kChat) << url;
  }
  for (const char* url : {"/v1/completions", "/completions", "https://h/v1/completions/",
                          "https://api.deepseek.com/beta/completions"}) {
    EXPECT_EQ(EndpointOf(url), Endpoint::kCompletion) << url;
  }
  for (const char* url : {"", "/", "/v1/embeddings", "/v1/responses", "/v1/messages", "/v1/chat",
                          "/v2/chat/completions", "/v1/chat/completionss", "https://h",
                          "/v1/mycompletions", "https://h/v1/mycompletions", "/x/completions"}) {
    EXPECT_EQ(EndpointOf(url), std::nullopt) << url;
  }
}

}  // namespace
}  // namespace cedar
