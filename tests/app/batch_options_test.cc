// What the options of cedar batch do, as a program.

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/app/batch_lines.h"
#include "tests/app/child_process.h"
#include "tests/app/held_out.h"
#include "tests/app/run_process.h"
#include "tests/temp_folder.h"

namespace cedar::test {
namespace {

using nlohmann::json;

const json& Body(const json& line) { return line.at("response").at("body"); }
const json& MessageOf(const json& line) { return Body(line).at("choices").at(0).at("message"); }

TEST(BatchOptionsTest, OptionsThatWouldChangeNothingAreRefused) {
  const TempFolder folder;
  const std::string in = folder.Write("in.jsonl", BatchLine("a", Question("Hello")));
  const std::string figures = folder / "figures";
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {{"--cache-size", "1G"}, "--cache-size: expected --cache-dir"},
      {{"--check", "--summary", figures}, "--summary: found with --check"},
      {{"--check", "--metrics", figures}, "--metrics: found with --check"},
      {{"--memory", "1.5"}, "--memory: found \"1.5\""},
      {{"--memory", "1.5.2G"}, "--memory: found \"1.5.2G\""},
      {{"--memory", "0.0G"}, "--memory: found \"0.0G\""},
      {{"--memory", "9000000T"}, "--memory: found \"9000000T\""}};
  for (const auto& [options, message] : cases) {
    std::vector<std::string> arguments = {"batch", "demo", "-i", in, "-o", folder / "out.jsonl"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    const ProcessResult result = RunCedar(arguments);
    EXPECT_EQ(result.exit_code, 2) << message;
    EXPECT_NE(result.err.find(message), std::string::npos) << result.err;
  }
}

TEST(BatchOptionsTest, MemoryMayHaveAFractionAndMustBeThere) {
  const TempFolder folder;
  const std::string in = folder.Write("in.jsonl", BatchLine("a", Question("Hello")));
  const auto check = [&](const std::string& memory) {
    return RunCedar({"batch", "demo", "-i", in, "--check", "--ctx", "256", "--parallel", "2",
                     "--memory", memory});
  };
  EXPECT_EQ(check("0.25G").exit_code, 0) << check("0.25G").err;
  const ProcessResult refused = check("4000T");
  EXPECT_EQ(refused.exit_code, 2) << refused.err;
  EXPECT_NE(refused.err.find("--memory: found 4.40 PB, expected no more than there is: "),
            std::string::npos)
      << refused.err;
}

TEST(BatchOptionsTest, CheckRunsNothing) {
  const TempFolder folder;
  const std::string out = folder / "out.jsonl";
  const std::string good = BatchLine("a", Question("Hello"));
  const std::string in = folder.Write("in.jsonl", good);
  const ProcessResult fine = RunCedar({"batch", "demo", "-i", in, "-o", out, "--check"});
  EXPECT_EQ(fine.exit_code, 0) << fine.err;
  EXPECT_NE(fine.out.find("lines:   1, 0 with errors"), std::string::npos) << fine.out;
  folder.Write("in.jsonl", good + BatchLine("b", {{"stream", true}}) + "{\n" + good);
  const ProcessResult bad = RunCedar({"batch", "demo", "-i", in, "--check"});
  EXPECT_EQ(bad.exit_code, 1) << bad.err;
  for (const char* part : {"line 2 (b): invalid_request: ", "line 3 (line-3): invalid_request: ",
                           "line 4 (a): duplicate_custom_id: ", "lines:   4, 3 with errors"}) {
    EXPECT_NE(bad.out.find(part), std::string::npos) << part << bad.out;
  }
  EXPECT_NE(access(out.c_str(), F_OK), 0);
}

TEST(BatchOptionsTest, CheckSaysHowLongItMayTake) {
  const TempFolder folder;
  const ProcessResult result =
      RunCedar({"batch", "demo", "-i", folder.Write("in.jsonl", BatchLine("a", Question("Hello"))),
                "--check"});
  EXPECT_NE(result.out.find("of prefill and at most"), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("B/s and"), std::string::npos) << result.out;
  EXPECT_NE(result.err.find("probing memory and arithmetic"), std::string::npos) << result.err;
}

// Nothing is known of the second line when the first is computed, but where messages end.
TEST(BatchOptionsTest, LinesThatFollowEachOtherShareTheirMessages) {
  std::string system;
  for (int i = 0; i < 60; ++i) system += "Mr Park buys rope " + std::to_string(i) + ". ";
  ChildProcess run({"batch", "demo", "-i", "-", "-o", "-"});
  size_t cached = 0;
  for (const std::string question : {"Who buys?", "What does he buy?"}) {
    json body = Question(question);
    const json message = {{"role", "system"}, {"content", system}};
    body["messages"].insert(body["messages"].begin(), message);
    body["max_tokens"] = 2;
    run.Write(BatchLine(question, body));
    const json line = json::parse(run.ReadUntil("\n"));
    cached = Body(line)["usage"]["prompt_tokens_details"]["cached_tokens"].get<size_t>();
  }
  EXPECT_GT(cached, 200u);
  run.CloseInput();
  EXPECT_EQ(run.Wait(), 0);
}

TEST(BatchOptionsTest, CheckSaysWhatDoesNotFit) {
  const TempFolder folder;
  json body = Question("Hello");
  body["max_tokens"] = 100;
  const ProcessResult result =
      RunCedar({"batch", "demo", "-i", folder.Write("in.jsonl", BatchLine("a", body)), "--check",
                "--ctx", "64"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_NE(result.out.find("context_length_exceeded"), std::string::npos) << result.out;
}

TEST(BatchOptionsTest, ThinkingEndsWhereItMust) {
  const std::string line = BatchLine(
      "a",
      {{"messages", {{{"role", "user"}, {"content", ReadHeldOut()[0].text}}}}, {"temperature", 0}});
  const auto tokens = [&](const std::string& most) {
    const BatchRun run = RunBatch(line, {"--max-thinking", most});
    EXPECT_FALSE(MessageOf(run.lines.at(0))["content"].get<std::string>().empty());
    return Body(run.lines.at(0))["usage"]["completion_tokens_details"]["reasoning_tokens"]
        .get<size_t>();
  };
  const size_t free = tokens("100");
  ASSERT_GT(free, 3u);         // or nothing is cut here
  EXPECT_EQ(tokens("2"), 3u);  // with </think>
  EXPECT_EQ(tokens("0"), 1u);
}

json IntegerFormat(const json& schema) {
  return {{"type", "json_schema"}, {"json_schema", {{"name", "n"}, {"schema", schema}}}};
}

// Wishes that cannot all come true end an answer, never the run.
TEST(BatchOptionsTest, AnAnswerThatCanOnlyEndEnds) {
  json stops = Question("How many?");
  stops["min_tokens"] = 1;
  stops["response_format"] = IntegerFormat({{"enum", {1, 2}}});
  json everything = Question("How many?");
  everything["min_tokens"] = 5;
  for (int id = 6; id < 1000; ++id) {
    stops["stop_token_ids"].push_back(id);
    everything["stop_token_ids"].push_back(id);
  }
  const BatchRun run =
      RunBatch(BatchLine("stops", stops) + BatchLine("everything", everything), {"--no-think"});
  ASSERT_EQ(run.lines.size(), 2u);
  for (const json& line : run.lines) {
    EXPECT_EQ(Body(line)["choices"][0]["finish_reason"], "stop") << line["custom_id"];
  }
}

// The prompt is scored as it is when an answer follows.
TEST(BatchOptionsTest, APromptMayBeScoredAlone) {
  const auto line = [](size_t max_tokens) {
    const json body = {{"prompt", {"The rope costs 5 pounds.", "The map"}},
                       {"echo", true},
                       {"logprobs", 2},
                       {"temperature", 0},
                       {"max_tokens", max_tokens}};
    return json{{"url", "/v1/completions"}, {"body", body}}.dump() + "\n";
  };
  const TempFolder folder;
  const BatchRun alone = RunBatch(line(0), {"--summary", folder / "summary"});
  ASSERT_EQ(alone.process.exit_code, 0) << alone.process.err;
  const json scored = Body(alone.lines.at(0)), answered = Body(RunBatch(line(1)).lines.at(0));
  EXPECT_EQ(scored["usage"]["completion_tokens"], 0);
  EXPECT_EQ(scored["usage"]["prompt_tokens"], answered["usage"]["prompt_tokens"]);
  EXPECT_EQ(json::parse(ReadBytes(folder / "summary"))["tokens"]["completion"], 0);
  ASSERT_EQ(scored["choices"].size(), 2u);
  EXPECT_EQ(scored["choices"][0]["text"], "The rope costs 5 pounds.");
  EXPECT_EQ(scored["choices"][1]["text"], "The map");
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(scored["choices"][i]["finish_reason"], "length");
    for (const auto& [name, list] : scored["choices"][i]["logprobs"].items()) {
      json longer = answered["choices"][i]["logprobs"][name];
      longer.erase(longer.size() - 1);
      EXPECT_GT(list.size(), 1u);
      EXPECT_EQ(list, longer) << name;
    }
  }
}

// The demo model was never taught to call anything: that calls come out is the grammar's work.
TEST(BatchOptionsTest, CallsAreMadeWhereTheyMust) {
  const json find = json::parse(R"({"type":"object","properties":{"name":{"enum":["Park","Klein"]},
    "page":{"type":"integer","minimum":1,"maximum":9}},"required":["name","page"]})");
  const json tools = {
      {{"type", "function"}, {"function", {{"name", "stop"}}}},
      {{"type", "function"}, {"function", {{"name", "find"}, {"parameters", find}}}}};
  const json named = {{"type", "function"}, {"function", {{"name", "find"}}}};
  std::string input;
  for (const bool thinks : {false, true}) {
    for (const json& choice : {named, json("required"), json("one")}) {
      json body = Question(ReadHeldOut()[0].text);
      body["tools"] = tools;
      body["tool_choice"] = choice == "one" ? json("required") : choice;
      body["parallel_tool_calls"] = choice != "one";
      body["reasoning_effort"] = thinks ? "low" : "none";
      body["temperature"] = 1;
      body["stop"] = "name";  // about text, not about calls
      body["max_tokens"] = 400;
      body["n"] = 4;
      input += BatchLine((thinks ? "thinks " : "quiet ") + choice.dump(), body);
    }
  }
  const BatchRun run = RunBatch(input, {"--max-thinking", "20"});
  ASSERT_EQ(run.process.exit_code, 0) << run.process.err;
  ASSERT_EQ(run.lines.size(), 6u);
  size_t calls = 0, together = 0;
  for (const json& line : run.lines) {
    const std::string name = line["custom_id"];
    for (const json& choice : Body(line)["choices"]) {
      const json& message = choice["message"];
      EXPECT_EQ(message.contains("reasoning_content"), name.starts_with("thinks"));
      if (choice["finish_reason"] == "length") continue;
      EXPECT_EQ(choice["finish_reason"], "tool_calls") << message;
      EXPECT_TRUE(message["content"].is_null()) << message;
      for (const json& call : message["tool_calls"]) {
        ++calls;
        const json arguments = json::parse(call["function"]["arguments"].get<std::string>());
        if (call["function"]["name"] == "stop") {
          EXPECT_FALSE(name.ends_with("}"));
          EXPECT_EQ(arguments, json::object());
          continue;
        }
        EXPECT_TRUE(arguments["name"] == "Park" || arguments["name"] == "Klein");
        EXPECT_LE(arguments["page"].get<int>(), 9);
      }
      const bool finds = message["tool_calls"][0]["function"]["name"] == "find";
      EXPECT_TRUE(finds || !name.ends_with("}"));
      if (name.ends_with("\"required\"")) {
        together = std::max(together, message["tool_calls"].size());
      } else {
        EXPECT_EQ(message["tool_calls"].size(), 1u);
      }
    }
  }
  EXPECT_GT(calls, 18u);  // of 24 answers a few may be cut
  EXPECT_GT(together, 1u);
}

TEST(BatchOptionsTest, APenaltyThatAFloatCannotTakeIsAnErrorOfItsLine) {
  json body = Question("How many?");
  body["repetition_penalty"] = 1e-300;
  const BatchRun run = RunBatch(BatchLine("a", body), {"--no-think"});
  EXPECT_NE(run.lines.at(0)["error"]["message"].get<std::string>().find("repetition_penalty"),
            std::string::npos);
}

TEST(BatchOptionsTest, PromptsAreCutOnlyWhenWanted) {
  std::string text;
  for (int i = 0; i < 60; ++i) text += "Mr Park buys a rope. ";
  json body = Question(text);
  body["max_tokens"] = 4;
  const std::string line = BatchLine("a", body);
  const BatchRun whole = RunBatch(line, {"--ctx", "100"});
  EXPECT_EQ(whole.process.exit_code, 1);
  EXPECT_EQ(whole.lines.at(0)["error"]["code"], "context_length_exceeded");
  EXPECT_NE(whole.lines.at(0)["error"]["message"].get<std::string>().find("--truncate-prompt"),
            std::string::npos);
  const BatchRun cut = RunBatch(line, {"--ctx", "100", "--truncate-prompt"});
  EXPECT_EQ(cut.process.exit_code, 0) << cut.process.err;
  EXPECT_EQ(Body(cut.lines.at(0))["usage"]["prompt_tokens"], 96);
  body["max_tokens"] = 100;  // whatever is cut, nothing is left for the prompt
  for (const std::vector<std::string>& options : std::vector<std::vector<std::string>>{
           {"--ctx", "100"}, {"--ctx", "100", "--truncate-prompt"}}) {
    const BatchRun none = RunBatch(BatchLine("a", body), options);
    const std::string message = none.lines.at(0)["error"]["message"];
    EXPECT_NE(message.find("fewer max_tokens"), std::string::npos) << message;
    EXPECT_EQ(message.find("--truncate-prompt"), std::string::npos) << message;
  }
}

}  // namespace
}  // namespace cedar::test
