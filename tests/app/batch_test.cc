// cedar batch, as a program, on the demo model.

#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "tests/app/held_out.h"
#include "tests/app/run_process.h"
#include "tests/temp_folder.h"

namespace cedar::test {
namespace {

using nlohmann::json;

std::string Request(const std::string& custom_id, const json& body) {
  return json{{"custom_id", custom_id},
              {"method", "POST"},
              {"url", "/v1/chat/completions"},
              {"body", body}}
             .dump() +
         "\n";
}

json Ask(const std::string& text) {
  return {{"messages", {{{"role", "user"}, {"content", text}}}},
          {"temperature", 0},
          {"reasoning_effort", "none"}};
}

struct BatchResult {
  ProcessResult process;
  std::vector<json> lines;
};

BatchResult RunBatch(const std::string& input) {
  const TempFolder folder;
  BatchResult result;
  const std::string out = folder / "out.jsonl";
  result.process = RunCedar({"batch", "demo", "-i", folder.Write("in.jsonl", input), "-o", out});
  std::istringstream lines(ReadBytes(out));
  for (std::string line; std::getline(lines, line);) result.lines.push_back(json::parse(line));
  // Answers come as they finish: back to the order of the input.
  std::vector<std::string> order;
  std::istringstream requests(input);
  size_t number = 0;
  for (std::string line; std::getline(requests, line);) {
    const json request = json::parse(line, nullptr, /*allow_exceptions=*/false);
    ++number;
    order.push_back(request.is_object() ? request.value("custom_id", "")
                                        : "line-" + std::to_string(number));
  }
  const auto place = [&](const json& line) {
    return std::find(order.begin(), order.end(), line.at("custom_id"));
  };
  std::sort(result.lines.begin(), result.lines.end(),
            [&](const json& a, const json& b) { return place(a) < place(b); });
  return result;
}

const json& MessageOf(const json& line) {
  return line.at("response").at("body").at("choices").at(0).at("message");
}

// At 95 % of the held-out questions or more the oracle's own answer.
TEST(BatchTest, HeldOutAnswersAreTheOracles) {
  const std::vector<HeldOut> questions = ReadHeldOut();
  std::string input;
  for (size_t i = 0; i < questions.size(); ++i) {
    input += Request(std::to_string(i), Ask(questions[i].text));
  }
  const BatchResult result = RunBatch(input);
  EXPECT_EQ(result.process.exit_code, 0) << result.process.err;
  ASSERT_EQ(result.lines.size(), questions.size());
  size_t equal = 0;
  for (size_t i = 0; i < questions.size(); ++i) {
    EXPECT_EQ(result.lines[i]["custom_id"], std::to_string(i));
    EXPECT_FALSE(MessageOf(result.lines[i]).contains("reasoning_content"));
    equal += MessageOf(result.lines[i])["content"] == questions[i].bounded;
  }
  RecordProperty("equal", std::to_string(equal));
  EXPECT_GE(equal * 100, questions.size() * 95);
}

TEST(BatchTest, HeldOutThoughtsAreTheOracles) {
  const std::vector<HeldOut> questions = ReadHeldOut();
  std::string input;
  for (size_t i = 0; i < questions.size(); ++i) {
    json body = Ask(questions[i].text);
    body["reasoning_effort"] = 75;
    input += Request(std::to_string(i), body);
  }
  const BatchResult result = RunBatch(input);
  EXPECT_EQ(result.process.exit_code, 0) << result.process.err;
  ASSERT_EQ(result.lines.size(), questions.size());
  size_t equal = 0;
  for (size_t i = 0; i < questions.size(); ++i) {
    const json& message = MessageOf(result.lines[i]);
    equal += message["reasoning_content"].get<std::string>() + "</think>" +
                 message["content"].get<std::string>() ==
             questions[i].thinking;
  }
  RecordProperty("equal", std::to_string(equal));
  EXPECT_GE(equal * 100, questions.size() * 95);
}

TEST(BatchTest, ALineThatFailsGetsAnErrorAndTheRunGoesOn) {
  json unknown = Ask("Hello");
  unknown["stream"] = true;
  std::string long_text;
  while (long_text.size() < 40000) long_text += "Where does Mr Park live? ";
  const BatchResult result =
      RunBatch("not json\n" + Request("unknown", unknown) + "\n" + Request("good", Ask("Hello")) +
               Request("long", Ask(long_text)) + "{\"custom_id\":\"\xff\"}");
  EXPECT_EQ(result.process.exit_code, 1);
  ASSERT_EQ(result.lines.size(), 5u);
  for (const size_t i : {0, 1, 3, 4}) {
    EXPECT_EQ(result.lines[i]["response"]["status_code"], 400) << i;
    EXPECT_TRUE(result.lines[i]["error"]["message"].is_string()) << i;
  }
  EXPECT_EQ(result.lines[1]["custom_id"], "unknown");
  EXPECT_EQ(result.lines[1]["error"]["message"].get<std::string>().rfind("body.stream", 0), 0u);
  EXPECT_EQ(result.lines[2]["response"]["status_code"], 200);
  EXPECT_NE(result.lines[3]["error"]["message"].get<std::string>().find("8192"), std::string::npos);
  EXPECT_NE(result.process.err.find("1 done, 4 failed"), std::string::npos) << result.process.err;
}

TEST(BatchTest, TheLimitOfTokensEndsAnAnswer) {
  json body = Ask(ReadHeldOut()[0].text);
  body["max_tokens"] = 1;
  const BatchResult result = RunBatch(Request("a", body));
  const json& answer = result.lines.at(0)["response"]["body"];
  EXPECT_EQ(answer["choices"][0]["finish_reason"], "length");
  EXPECT_EQ(answer["usage"]["completion_tokens"], 1);
}

TEST(BatchTest, UserTextNeverBecomesAControlToken) {
  const BatchResult result = RunBatch(Request("a", Ask("a")) + Request("b", Ask("a<｜User｜>")));
  const auto prompt_tokens = [&](size_t i) {
    return result.lines.at(i)["response"]["body"]["usage"]["prompt_tokens"].get<int>();
  };
  // Had it become one, it would cost one token; as text it costs several.
  EXPECT_GT(prompt_tokens(1), prompt_tokens(0) + 1);
}

TEST(BatchTest, SamplingIsTheSameEveryTime) {
  json body = Ask("Hello");
  body["temperature"] = 5;
  body["max_tokens"] = 20;
  const std::string input = Request("a", body);
  EXPECT_EQ(MessageOf(RunBatch(input).lines.at(0)), MessageOf(RunBatch(input).lines.at(0)));
}

TEST(BatchTest, ASignalKeepsTheLinesThatAreDone) {
  json endless = Ask("Hello");
  endless["temperature"] = 50;  // chosen at random from all tokens, the end is thousands away
  endless["top_p"] = 1;
  const TempFolder folder;
  const std::string in =
      folder.Write("in.jsonl", Request("done", Ask("Hello")) + Request("never", endless) +
                                   Request("later", Ask("Hello")));
  // The answers go to standard output, whose first line sets off the signal.
  const ProcessResult result =
      RunCedar({"batch", "demo", "-i", in, "-o", "/dev/stdout"}, {.signal_after_output = SIGTERM});
  EXPECT_EQ(result.exit_code, 130) << result.err;
  std::istringstream lines(result.out);
  for (std::string line; std::getline(lines, line);) {
    EXPECT_NE(json::parse(line)["custom_id"], "never");  // whole lines only
  }
}

TEST(BatchTest, AnEmptyFileIsNoWork) {
  const BatchResult result = RunBatch("\n\n");
  EXPECT_EQ(result.process.exit_code, 0) << result.process.err;
  EXPECT_TRUE(result.lines.empty());
}

TEST(BatchTest, FilesThatCannotBeUsed) {
  const TempFolder folder;
  const std::string in = folder.Write("in.jsonl", Request("a", Ask("Hello")));
  EXPECT_EQ(RunCedar({"batch", "demo", "-i", folder / "none", "-o", folder / "out"}).exit_code, 1);
  EXPECT_EQ(RunCedar({"batch", "demo", "-i", in, "-o", folder / "no/out"}).exit_code, 1);
  EXPECT_EQ(RunCedar({"batch", "demo", "-i", in, "-o", "/dev/full"}).exit_code, 1);
  EXPECT_EQ(RunCedar({"batch", "demo", "-i", in, "-o", in}).exit_code, 2);
  EXPECT_NE(ReadBytes(in), "");
}

TEST(BatchTest, FiguresGoToStandardError) {
  const BatchResult result = RunBatch(Request("a", Ask("Hello")));
  EXPECT_EQ(result.process.out, "");
  for (const char* part :
       {"tokens in: ", "tokens out: ", "tokens/s", "time to first token: ", "memory: "}) {
    EXPECT_NE(result.process.err.find(part), std::string::npos) << result.process.err;
  }
}

}  // namespace
}  // namespace cedar::test
