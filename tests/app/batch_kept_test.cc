// A whole answer leaves the output of cedar batch only when that is asked for.

#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/app/batch_job.h"
#include "tests/app/batch_lines.h"
#include "tests/app/child_process.h"
#include "tests/app/model_folder.h"
#include "tests/app/run_process.h"
#include "tests/app/small_disk.h"
#include "tests/temp_folder.h"

namespace cedar::test {
namespace {

using nlohmann::json;

void ExpectSays(const ProcessResult& result, const std::string& text) {
  EXPECT_NE(result.err.find(text), std::string::npos) << "no " << text << " in\n" << result.err;
}

// So many of the lines were computed by this run.
void ExpectDone(const ProcessResult& result, const std::string& figures) {
  ExpectSays(result, "lines:      " + figures);
}

// The run stops before it computes: the first id and what changed are named, and nothing is lost.
void ExpectStops(const Job& job, const std::string& id, const std::string& change,
                 const std::vector<std::string>& options = {}) {
  const std::string before = job.text();
  const std::vector<std::string> files = FilesIn(job.folder.path());
  const ProcessResult result = job.Run(options);
  EXPECT_EQ(result.exit_code, 2) << change;
  ExpectSays(result, "out.jsonl: the answer to \"" + id + "\" stands there, but since then has " +
                         "changed: " + change + ". --redo");
  EXPECT_EQ(job.text(), before);
  EXPECT_EQ(FilesIn(job.folder.path()), files);
}

TEST(BatchKeptTest, AnotherInputTakesNothingOut) {
  const Job job(Ask("a") + Ask("b") + BadLine("c"));
  ASSERT_EQ(job.Run().exit_code, 1);
  const std::string before = job.text();
  for (const std::string& input : {std::string(), Ask("b"), BadLine("c")}) {
    job.folder.Write("in.jsonl", input);
    const ProcessResult result = job.Run({"--summary", job.folder / "summary"});
    EXPECT_EQ(job.text(), before);
    const size_t kept = input == Ask("b") ? 1 : 2;
    EXPECT_EQ(json::parse(ReadBytes(job.folder / "summary"))["kept_answers"], kept);
    ExpectSays(result, "kept:       " + std::to_string(kept) + " answer");
  }
  job.folder.Write("in.jsonl", Ask("d") + Ask("b"));
  ExpectDone(job.Run(), "1 done, 0 failed, 1 done and 0 failed before");
  EXPECT_EQ(job.text().rfind(before, 0), 0u);
  EXPECT_EQ(job.lines().size(), 4u);
}

// White space, escapes, the order of keys, null, 16.0 for 16, and what acts on nothing.
TEST(BatchKeptTest, ALineThatIsOnlyWrittenDifferentlyIsTheSame) {
  const Job job(R"({"custom_id":"é","method":"POST","url":"/v1/chat/completions","body":{)"
                R"("messages":[{"role":"user","content":"é/\n"}],"max_tokens":16,"top_p":0.5}})");
  ASSERT_EQ(job.Run({"--no-think"}).exit_code, 0);
  const std::string before = job.text();
  for (const char* line :
       {R"( { "body": {"top_p" : 5e-1, "max_tokens":16, "messages" : [)"
        R"({"content":"\u00e9\/\u000a","role":"user"}]},"custom_id":"\u00E9"} )",
        R"({"custom_id":"é","user":"me","metadata":{"a":"b"},"top_p":0.50,"max_tokens":16,)"
        R"("seed":null,"messages":[{"role":"user","content":"é/\n"}],"tools":null})"}) {
    job.folder.Write("in.jsonl", line);
    ExpectDone(job.Run({"--no-think"}), "0 done, 0 failed, 1 done and 0 failed before");
    EXPECT_EQ(job.text(), before) << line;
    // It also gets the same answer.
    ASSERT_EQ(job.Run({"--no-think", "--no-resume"}).exit_code, 0);
    EXPECT_EQ(ByCustomId(job.lines()), ByCustomId(ParseLines(before))) << line;
    job.folder.Write("out.jsonl", before);
  }
}

TEST(BatchKeptTest, AChangedRequestStopsTheRun) {
  const Job job(Ask("a") + Ask("b"));
  ASSERT_EQ(job.Run().exit_code, 0);
  const auto before = ByCustomId(job.lines());
  job.folder.Write("in.jsonl", Ask("new") + Ask("a") + Ask("b", 2));
  ExpectStops(job, "b", "its request");
  const std::string text = job.text();
  ExpectDone(job.Run({"--redo"}), "2 done, 0 failed, 1 done and 0 failed before");
  EXPECT_EQ(job.lines().size(), 3u);
  const auto after = ByCustomId(job.lines());
  EXPECT_EQ(after.at("a"), before.at("a"));
  EXPECT_NE(after.at("b"), before.at("b"));
  EXPECT_EQ(ReadBytes(job.out() + "~"), text);
  // Now nothing has changed.
  ExpectDone(job.Run({"--redo"}), "0 done, 0 failed, 3 done and 0 failed before");
  EXPECT_EQ(ReadBytes(job.out() + "~"), text);
}

TEST(BatchKeptTest, AChangedOptionStopsTheRunAndIsNamed) {
  const Job job(BatchLine("a", {{"prompt", "Hello"}}));
  const std::vector<std::string> usual = {"--max-tokens", "3", "--no-think"};
  ASSERT_EQ(job.Run(usual).exit_code, 0);
  const std::vector<std::pair<std::vector<std::string>, std::string>> kChanges = {
      {{"--max-tokens", "2", "--no-think"}, "--max-tokens (was 3, is 2)"},
      {{"--max-tokens", "3"}, "--effort (was --no-think, is not given)"},
      {{"--no-think"}, "--max-tokens (was 3, is not given)"},
      {{"--temperature", "0.5", "--max-tokens", "3", "--no-think"},
       "--temperature (was not given, is 0.5)"},
      {{"--top-p", "0.5", "--top-k", "4", "--max-tokens", "3", "--no-think"},
       "--top-p (was not given, is 0.5), --top-k (was not given, is 4)"},
      {{"--min-p", "0.5", "--max-tokens", "3", "--no-think"}, "--min-p (was not given, is 0.5)"},
      {{"--seed", "1", "--max-tokens", "3", "--no-think"}, "--seed (was not given, is 1)"},
      {{"--replay", "full", "--max-tokens", "3", "--no-think"},
       "--replay (was not given, is full)"},
      {{"--system", "Be short.", "--max-tokens", "3", "--no-think"},
       "--system (was not given, is another text)"}};
  for (const auto& [options, change] : kChanges) ExpectStops(job, "a", change, options);
  const std::vector<std::string> redo = {"--max-tokens", "2", "--no-think", "--redo"};
  ExpectDone(job.Run(redo), "1 done, 0 failed, 0 done and 0 failed before");
  ASSERT_EQ(job.lines().size(), 1u);
  EXPECT_EQ(job.lines()[0]["response"]["body"]["usage"]["completion_tokens"], 2);
}

// What the line says itself, and what has no effect on it, may change.
TEST(BatchKeptTest, AnOptionThatDoesNotActOnALineDoesNotStopIt) {
  json body = Question("Hello");  // no thinking, temperature 0
  body["max_tokens"] = 3;
  body["messages"].insert(body["messages"].begin(), json{{"role", "system"}, {"content", "Go."}});
  const Job job(BatchLine("a", body));
  ASSERT_EQ(job.Run().exit_code, 0);
  for (const std::vector<std::string>& options :
       std::vector<std::vector<std::string>>{{"--temperature", "0.5"},
                                             {"--seed", "1"},
                                             {"--top-p", "0.5", "--top-k", "3", "--min-p", "0.1"},
                                             {"--max-tokens", "9"},
                                             {"--no-think"},
                                             {"--effort", "3"},
                                             {"--system", "Stop."},
                                             {"--parallel", "2", "--chunk", "7"},
                                             {"--truncate-prompt"}}) {
    ExpectDone(job.Run(options), "0 done, 0 failed, 1 done and 0 failed before");
  }
}

TEST(BatchKeptTest, ALineThatDoesNotThinkIsNotStoppedByEffort) {
  std::string input;
  const std::vector<json> kWays = {{{"enable_thinking", false}},
                                   {{"thinking", {{"type", "disabled"}}}},
                                   {{"chat_template_kwargs", {{"enable_thinking", false}}}},
                                   {{"reasoning", {{"effort", "none"}}}}};
  for (const json& way : kWays) {
    json body = Question("Hello");
    body.erase("reasoning_effort");
    body.update(way);
    body["max_tokens"] = 2;
    input += BatchLine(std::to_string(input.size()), body);
  }
  const Job job(input);
  ASSERT_EQ(job.Run().exit_code, 0);
  ExpectDone(job.Run({"--effort", "3"}), "0 done, 0 failed, 4 done and 0 failed before");
  ExpectDone(job.Run({"--no-think"}), "0 done, 0 failed, 4 done and 0 failed before");
}

TEST(BatchKeptTest, AChangedModelStopsTheRun) {
  const ModelFolder model;
  const Job job(Ask("a"));
  const auto run = [&](const std::vector<std::string>& options) {
    std::vector<std::string> arguments = job.Arguments(options);
    arguments[1] = model.path();
    return RunCedar(arguments);
  };
  const std::string anew = "1 done, 0 failed, 0 done and 0 failed before";
  const std::string known = "0 done, 0 failed, 1 done and 0 failed before";
  ExpectDone(run({}), anew);
  ExpectDone(run({"--chunk", "13", "--isa", "reference"}), known);
  const ProcessResult numerics = run({"--numerics", "int8"});
  EXPECT_EQ(numerics.exit_code, 2);
  ExpectSays(numerics, "changed: --numerics (was not given, is int8).");
  model.EditConfig([](json& config) { config["rms_norm_eps"] = 1e-5; });
  const ProcessResult other = run({});
  EXPECT_EQ(other.exit_code, 2);
  ExpectSays(other, "changed: the model.");
  ExpectDone(run({"--redo"}), anew);
  ExpectDone(run({}), known);
}

TEST(BatchKeptTest, BeginningAnewKeepsEveryOlderFile) {
  const Job job(Ask("a"));
  for (const std::string text : {"Notes", "More notes"}) {
    job.folder.Write("out.jsonl", text);
    ExpectDone(job.Run({"--no-resume"}), "1 done, 0 failed, 0 done and 0 failed before");
    EXPECT_EQ(ReadBytes(job.out() + "~"), text);
  }
  EXPECT_EQ(ReadBytes(job.out() + ".~1~"), "Notes");
  EXPECT_EQ(job.lines().size(), 1u);
  // An empty file is nothing to keep.
  job.folder.Write("out.jsonl", "");
  EXPECT_EQ(job.Run({"--no-resume"}).exit_code, 0);
  EXPECT_EQ(ReadBytes(job.out() + "~"), "More notes");
}

TEST(BatchKeptTest, FailuresHaveTheSameRules) {
  const Job job(Ask("a") + BadLine("b"));
  const std::string errors = job.folder / "errors.jsonl";
  ASSERT_EQ(job.Run({"-e", errors}).exit_code, 1);
  const std::string before = ReadBytes(errors);
  job.folder.Write("in.jsonl", Ask("a"));
  EXPECT_EQ(job.Run({"-e", errors}).exit_code, 0);
  EXPECT_EQ(ReadBytes(errors), before);
  job.folder.Write("errors.jsonl", "Notes\n");
  const ProcessResult refused = job.Run({"-e", errors});
  EXPECT_EQ(refused.exit_code, 1);
  ExpectSays(refused, "errors.jsonl: found a file without a single answer");
  EXPECT_EQ(ReadBytes(errors), "Notes\n");
  EXPECT_EQ(job.Run({"-e", errors, "--no-resume"}).exit_code, 0);
  EXPECT_EQ(ReadBytes(errors + "~"), "Notes\n");
  // An answer that stands where failures go is one too.
  std::filesystem::rename(job.out(), errors);
  ExpectDone(job.Run({"-e", errors}), "0 done, 0 failed, 1 done and 0 failed before");
}

// Lines of somebody else stay, wherever they stand: the run does not begin.
TEST(BatchKeptTest, WhatSomebodyElseWroteIsNotTouched) {
  const Job job(Ask("a"));
  ASSERT_EQ(job.Run().exit_code, 0);
  const std::string answer = job.text();
  json other = json::parse(answer);
  other["id"] = "batch_req_wnaDys";
  const std::vector<std::string> texts = {answer + "Notes\n",
                                          "Notes\n" + answer,
                                          answer + "{\"a\": 1}\n",
                                          answer + "Notes",
                                          answer + other.dump() + "\n",
                                          "[" + answer.substr(0, answer.size() - 1) + "]\n",
                                          json::parse(answer).dump(1) + "\n",
                                          Ask("a"),
                                          "\xFF\xFE{"};
  for (const std::string& text : texts) {
    job.folder.Write("out.jsonl", text);
    const ProcessResult result = job.Run();
    EXPECT_EQ(result.exit_code, 1) << text;
    ExpectSays(result, "expected answers of an earlier run and nothing else (--no-resume");
    EXPECT_EQ(job.text(), text);
  }
}

// All whole answers stay, whatever stands between them.
TEST(BatchKeptTest, WholeAnswersStayBetweenDamage) {
  const Job job(Ask("a") + Ask("b") + Ask("c"));
  ASSERT_EQ(job.Run().exit_code, 0);
  const std::vector<std::string> lines = SplitLines(job.text());
  const auto whole = ByCustomId(job.lines());
  const std::string known = "0 done, 0 failed, 3 done and 0 failed before";
  const std::string zeros(64, '\0');
  for (const std::string& text :
       {lines[0] + lines[1] + lines[2],                                // line ends lost
        lines[0] + "\r\n\r\n \n" + lines[1] + "\n" + lines[2],         // edited elsewhere
        lines[0] + "\n" + zeros + lines[1] + "\n" + lines[2] + zeros,  // blocks lost
        lines[0].substr(0, 90) + lines[0] + "\n" + lines[1] + lines[1].substr(0, 50) + "\n" +
            lines[2] + "\n" + lines[2].substr(0, 20)}) {  // torn in between
    job.folder.Write("out.jsonl", text);
    ExpectDone(job.Run(), known);
    EXPECT_EQ(ByCustomId(job.lines()), whole) << text;
    EXPECT_EQ(job.lines().size(), 3u);
  }
  job.folder.Write("out.jsonl", lines[0] + "\n" + lines[1].substr(9) + "\n" + lines[2] + "\n");
  ExpectDone(job.Run(), "1 done, 0 failed, 2 done and 0 failed before");
  EXPECT_EQ(ByCustomId(job.lines()), whole);
  EXPECT_EQ(SplitLines(ReadBytes(job.out() + "~"))[1], lines[1].substr(9));
}

// As the version before wrote it: one digest of all.
TEST(BatchKeptTest, AnswersOfAnOlderVersionCountAsDone) {
  const Job job(Ask("a") + Ask("b"));
  ASSERT_EQ(job.Run().exit_code, 0);
  std::string text;
  for (json line : job.lines()) {
    line["id"] = "batch_req_0123456789abcdef_0";
    text += line.dump() + "\n";
  }
  job.folder.Write("out.jsonl", text);
  for (const std::vector<std::string>& options :
       std::vector<std::vector<std::string>>{{}, {"--no-think"}, {"--redo"}}) {
    const ProcessResult result = job.Run(options);
    EXPECT_EQ(result.exit_code, 0);
    ExpectDone(result, "0 done, 0 failed, 2 done and 0 failed before");
    const std::string warning = "an older version wrote answers there";
    ExpectSays(result, warning);
    EXPECT_EQ(result.err.find(warning), result.err.rfind(warning));
    EXPECT_EQ(job.text(), text);
  }
}

TEST(BatchKeptTest, TwoAnswersToOneLineBothStay) {
  const Job job(Ask("a"));
  ASSERT_EQ(job.Run().exit_code, 0);
  const std::string first = job.text();
  job.folder.Write("in.jsonl", Ask("a", 2));
  ASSERT_EQ(job.Run({"--redo"}).exit_code, 0);
  const std::string second = job.text();
  for (const std::string& both : {first + second, second + first}) {
    job.folder.Write("out.jsonl", both);
    ExpectDone(job.Run(), "0 done, 0 failed, 1 done and 0 failed before");
    EXPECT_EQ(job.text(), both);
    ExpectDone(job.Run({"--redo"}), "0 done, 0 failed, 1 done and 0 failed before");
    EXPECT_EQ(job.text(), second);
    EXPECT_EQ(ReadBytes(job.out() + "~"), both);
  }
}

// The answer is there: the failure before it is out of date.
TEST(BatchKeptTest, AFailureGivesWayToAnAnswer) {
  const Job job(BadLine("a"));
  ASSERT_EQ(job.Run().exit_code, 1);
  const std::string failure = job.text();
  job.folder.Write("in.jsonl", Ask("a"));
  ExpectDone(job.Run(), "1 done, 0 failed, 0 done and 0 failed before");
  const std::string answer = job.text();
  ASSERT_EQ(job.lines().size(), 1u);
  for (const std::string& both : {failure + answer, answer + failure}) {
    job.folder.Write("out.jsonl", both);
    ExpectDone(job.Run(), "0 done, 0 failed, 1 done and 0 failed before");
    EXPECT_EQ(job.text(), answer);
  }
}

TEST(BatchKeptTest, FromAPipeAChangeStopsTheRunWhereItComes) {
  const Job job(Ask("a") + Ask("b"));
  ASSERT_EQ(job.Run().exit_code, 0);
  const std::string before = job.text();
  std::vector<std::string> arguments = job.Arguments();
  arguments[3] = "-";
  const ProcessResult stopped =
      RunCedar(arguments, {.input = Ask("new") + Ask("b", 2) + Ask("never")});
  EXPECT_EQ(stopped.exit_code, 2);
  ExpectSays(stopped, "the answer to \"b\" stands there");
  EXPECT_EQ(job.text().rfind(before, 0), 0u);
  job.folder.Write("out.jsonl", before);
  arguments.push_back("--redo");
  ExpectDone(RunCedar(arguments, {.input = Ask("new") + Ask("b", 2) + Ask("a")}),
             "2 done, 0 failed, 1 done and 0 failed before");
  EXPECT_EQ(job.lines().size(), 3u);
  EXPECT_EQ(ReadBytes(job.out() + "~"), before);
}

// The prompts that were cut are others when they no longer are; those that fit are not.
TEST(BatchKeptTest, CutPromptsAreRemembered) {
  std::string text;
  for (int i = 0; i < 60; ++i) text += "Mr Park buys a rope. ";
  json body = Question(text);
  body["max_tokens"] = 4;
  const Job job(BatchLine("long", body) + Ask("short"));
  const std::vector<std::string> plain = {"--ctx", "64"};
  const std::vector<std::string> cut = {"--ctx", "64", "--truncate-prompt"};
  ExpectDone(job.Run(plain), "1 done, 1 failed, 0 done and 0 failed before");
  ExpectDone(job.Run(cut), "1 done, 0 failed, 1 done and 0 failed before");
  ExpectDone(job.Run(cut), "0 done, 0 failed, 2 done and 0 failed before");
  ExpectStops(job, "long", "--truncate-prompt (was given)", plain);
}

// Documents too; those that are done are read once, to see that they have not changed.
TEST(BatchKeptTest, AChangedDocumentStopsTheRun) {
  const TempFolder folder;
  const std::string out = folder / "out.jsonl", a = folder.Write("a.txt", "The rope costs 5.");
  folder.Write("b.txt", "The map costs 7.");
  const auto run = [&](const std::string& prompt, const std::vector<std::string>& options = {}) {
    std::vector<std::string> all = {"batch",    "demo", "--documents",  folder / "*.txt",
                                    "--prompt", prompt, "--max-tokens", "3",
                                    "-o",       out,    "--no-think"};
    all.insert(all.end(), options.begin(), options.end());
    return RunCedar(all);
  };
  ExpectDone(run("What is sold?"), "2 done, 0 failed, 0 done and 0 failed before");
  const std::string before = ReadBytes(out);
  folder.Write("c.txt", "The hat costs 9.");
  ExpectDone(run("What is sold?"), "1 done, 0 failed, 2 done and 0 failed before");
  EXPECT_EQ(run("Who sells it?").exit_code, 2);
  folder.Write("a.txt", "The rope costs 6.");
  const ProcessResult changed = run("What is sold?");
  EXPECT_EQ(changed.exit_code, 2);
  ExpectSays(changed, "the answer to \"" + a + "\" stands there, but since then has changed");
  EXPECT_EQ(ReadBytes(out).rfind(before, 0), 0u);
  ExpectDone(run("What is sold?", {"--redo"}), "1 done, 0 failed, 2 done and 0 failed before");
  EXPECT_EQ(ParseLines(ReadBytes(out)).size(), 3u);
}

TEST(BatchKeptTest, AFullDiskLeavesTheOldFileWhole) {
  const Job job(Ask("a") + Ask("b"));
  const SmallDisk disk(job.folder / "disk");
  if (!disk.mounted()) GTEST_SKIP() << "only root can mount a small file system";
  ASSERT_EQ(job.Run().exit_code, 0);
  std::string text = job.text();
  // More than half of the disk: no room for a copy, nor for the file without one answer.
  for (int i = 0; text.size() < 9000; ++i) {
    json line = job.lines()[0];
    line["custom_id"] = "other " + std::to_string(i);
    text += line.dump() + "\n";
  }
  const std::string out = job.folder.Write("disk/out.jsonl", text);
  job.folder.Write("in.jsonl", Ask("a", 2));
  for (const char* option : {"--redo", "--no-resume"}) {
    std::vector<std::string> arguments = job.Arguments({option});
    arguments[5] = out;
    const ProcessResult result = RunCedar(arguments);
    EXPECT_EQ(result.exit_code, 1) << result.err;
    ExpectSays(result, "cannot write: No space left");
    EXPECT_EQ(ReadBytes(out), text);
    EXPECT_EQ(FilesIn(job.folder / "disk").size(), 1u);
  }
}

TEST(BatchKeptTest, RedoAndBeginningAnewExcludeEachOther) {
  const Job job(Ask("a"));
  const ProcessResult result = job.Run({"--redo", "--no-resume"});
  EXPECT_EQ(result.exit_code, 2);
  ExpectSays(result, "--redo: found with --no-resume");
}

}  // namespace
}  // namespace cedar::test
