// cedar batch when the world is not as it should be: full disks, closed pipes, signals; and what it
// tells of itself.

#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "tests/app/batch_job.h"
#include "tests/app/batch_lines.h"
#include "tests/app/child_process.h"
#include "tests/app/run_process.h"
#include "tests/app/small_disk.h"
#include "tests/temp_folder.h"

namespace cedar::test {
namespace {

using nlohmann::json;

TEST(BatchRobustnessTest, AFullDiskStopsTheRunAndALaterOneGoesOn) {
  const TempFolder folder;
  const SmallDisk disk(folder / "disk");
  if (!disk.mounted()) GTEST_SKIP() << "only root can mount a small file system";
  const std::string out = folder / "disk/out.jsonl";
  const std::string input = Asks(0, 60);
  const std::vector<std::string> arguments = {
      "batch", "demo", "-i", folder.Write("in.jsonl", input), "-o", out};
  const ProcessResult full = RunCedar(arguments);
  EXPECT_EQ(full.exit_code, 1);
  EXPECT_NE(full.err.find(out + ": cannot write: No space left"), std::string::npos) << full.err;
  const std::string kept = ReadBytes(out);
  const auto before = std::count(kept.begin(), kept.end(), '\n');
  EXPECT_GT(before, 0);
  EXPECT_LT(before, 60);
  disk.Grow();
  const ProcessResult resumed = RunCedar(arguments);
  EXPECT_EQ(resumed.exit_code, 0) << resumed.err;
  EXPECT_NE(resumed.err.find(", " + std::to_string(before) + " done and 0 failed before"),
            std::string::npos)
      << resumed.err;
  EXPECT_EQ(ByCustomId(ParseLines(ReadBytes(out))), ByCustomId(RunBatch(input).lines));
}

TEST(BatchRobustnessTest, AClosedPipeStopsTheRun) {
  const TempFolder folder;
  const ProcessResult result =
      RunCedar({"batch", "demo", "-i", folder.Write("in.jsonl", Asks(0, 3)), "-o", "-"},
               {.closed_out = true});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_NE(result.err.find("standard output: cannot write: Broken pipe"), std::string::npos)
      << result.err;
}

// Its text is passed over wherever it stands, and the plan is that of the other lines.
TEST(BatchRobustnessTest, ALineThatIsTooLongFailsAlone) {
  const std::string input = Ask("first") + std::string(20'000'000, 'x') + "\r\n" + Ask("second") +
                            std::string(300'000, 'y');
  const BatchRun run = RunBatch(input, {"--memory", "14M"});
  EXPECT_EQ(run.process.exit_code, 1);
  ASSERT_EQ(run.lines.size(), 4u) << run.process.err;
  std::map<std::string, std::string> found;
  for (const json& line : run.lines) {
    found[line["custom_id"]] = line["error"].is_null() ? "" : line["error"].dump();
  }
  EXPECT_EQ(found["first"], "");
  EXPECT_EQ(found["second"], "");
  for (const auto& [name, bytes] : {std::pair{"line-2", "20.0 MB, "}, {"line-4", "300 kB, "}}) {
    EXPECT_NE(found[name].find("line_too_long"), std::string::npos) << found[name];
    EXPECT_NE(found[name].find(std::string("found ") + bytes), std::string::npos) << found[name];
  }
}

// Others are answered while it comes.
TEST(BatchRobustnessTest, ALineWithoutEndKeepsNobodyWaiting) {
  ChildProcess run({"batch", "demo", "-i", "-", "-o", "-", "--memory", "14M"});
  run.Write(Ask("first") + std::string(5'000'000, 'x'));
  EXPECT_NE(run.ReadUntil("\n").find("\"first\""), std::string::npos);
  run.Write("\n" + Ask("second"));
  const std::string later = run.ReadUntil("\n") + run.ReadUntil("\n");
  EXPECT_NE(later.find("line_too_long"), std::string::npos) << later;
  EXPECT_NE(later.find("\"second\""), std::string::npos) << later;
  run.CloseInput();
  EXPECT_EQ(run.Wait(), 1);
}

TEST(BatchRobustnessTest, AnswersFlowWhileInputIsOpen) {
  ChildProcess run({"batch", "demo", "-i", "-", "-o", "-"});
  for (const std::string name : {"first", "second"}) {
    run.Write(Ask(name));
    const std::string answer = run.ReadUntil("\n");
    ASSERT_TRUE(answer.ends_with('\n')) << answer;
    EXPECT_EQ(json::parse(answer)["custom_id"], name);
    EXPECT_FALSE(run.Poll());
  }
  run.CloseInput();
  EXPECT_EQ(run.Wait(), 0);
}

TEST(BatchRobustnessTest, AnInterruptLeavesWholeLines) {
  const TempFolder folder;
  const std::string out = folder / "out.jsonl";
  const std::string in = folder.Write("in.jsonl", Asks(0, 40, 20));
  const std::vector<std::string> arguments = {"batch", "demo", "-i",         in,
                                              "-o",    out,    "--parallel", "4"};
  ChildProcess run(arguments);
  EXPECT_GT(WaitForLines(out, 1, run), 0u);
  run.Signal(SIGINT);
  EXPECT_EQ(run.Wait(), 130);
  const std::string text = ReadBytes(out);
  EXPECT_TRUE(text.ends_with('\n'));
  EXPECT_LT(ParseLines(text).size(), 40u);
  EXPECT_EQ(RunCedar(arguments).exit_code, 0);
  const auto answers = ByCustomId(ParseLines(ReadBytes(out)));
  EXPECT_EQ(answers.size(), 40u);
}

TEST(BatchRobustnessTest, FilesFromOtherSystems) {
  const std::string line = "{\"prompt\": \"Hello\", \"max_tokens\": 2}";
  const BatchRun run = RunBatch("\xEF\xBB\xBF" + line + "\r\n\r\n \t\n" + line);
  EXPECT_EQ(run.process.exit_code, 0) << run.process.err;
  const auto answers = ByCustomId(run.lines);
  EXPECT_EQ(answers.size(), 2u);
  EXPECT_TRUE(answers.contains("line-1") && answers.contains("line-4"));
}

json ReadSummary(const std::string& path) { return json::parse(ReadBytes(path)); }

TEST(BatchRobustnessTest, APromptWithManyChoicesIsCountedOnce) {
  json body = {{"prompt", "hello world"}, {"n", 4}, {"max_tokens", 2}};
  const std::string line = json{{"body", body}}.dump() + "\n";
  const TempFolder folder;
  const std::string summary = folder / "summary.json";
  const BatchRun run = RunBatch(line + line, {"--summary", summary, "--parallel", "1"});
  ASSERT_EQ(run.process.exit_code, 0) << run.process.err;
  size_t prompt = 0, cached = 0;
  for (const json& answer : run.lines) {
    const json& usage = answer["response"]["body"]["usage"];
    prompt += usage["prompt_tokens"].get<size_t>();
    cached += usage["prompt_tokens_details"]["cached_tokens"].get<size_t>();
  }
  const json tokens = ReadSummary(summary)["tokens"];
  EXPECT_EQ(tokens["prompt"], prompt);
  EXPECT_EQ(tokens["cached"], cached);
  EXPECT_GT(cached, 0u);          // the second line finds what the first has left
  EXPECT_LE(cached, prompt / 2);  // which found nothing
}

TEST(BatchRobustnessTest, ALineWithoutANameIsNeverADuplicate) {
  const std::string unnamed = json{{"body", {{"prompt", "hi"}, {"max_tokens", 1}}}}.dump() + "\n";
  const Job job(Ask("line-2", 1) + unnamed + unnamed);
  ASSERT_EQ(job.Run().exit_code, 0);
  const std::string before = job.text();
  const auto answers = ByCustomId(job.lines());
  for (const char* name : {"line-2", "line-2.2", "line-3"}) EXPECT_EQ(answers.count(name), 1u);
  EXPECT_EQ(job.Run().exit_code, 0);
  EXPECT_EQ(job.text(), before);
}

// What the program opens for itself must not pass for its input.
TEST(BatchRobustnessTest, AClosedInputIsAnErrorAndNoWait) {
  const TempFolder folder;
  const std::vector<std::vector<std::string>> commands = {
      {"batch", "demo", "-i", "-", "-o", folder / "out.jsonl"},
      {"run", "demo"},
      {"tokenize", "demo"}};
  for (const std::vector<std::string>& command : commands) {
    const ProcessResult result = RunCedar(command, {.closed_in = true});
    EXPECT_EQ(result.exit_code, 1) << command[0];
    EXPECT_NE(result.err.find("standard input: cannot read"), std::string::npos) << result.err;
  }
}

TEST(BatchRobustnessTest, TheSummaryHasItsKeys) {
  const TempFolder folder;
  const std::string summary = folder / "summary.json";
  const BatchRun run =
      RunBatch(Asks(0, 3) + BatchLine("bad", {{"stream", true}}), {"--summary", summary});
  EXPECT_EQ(run.process.exit_code, 1);
  const json figures = ReadSummary(summary);
  EXPECT_EQ(figures["lines"], json({{"done", 3}, {"failed", 1}}));
  size_t prompt = 0, completion = 0;
  for (const json& line : run.lines) {
    if (line["response"]["status_code"] != 200) continue;
    prompt += line["response"]["body"]["usage"]["prompt_tokens"].get<size_t>();
    completion += line["response"]["body"]["usage"]["completion_tokens"].get<size_t>();
  }
  EXPECT_EQ(figures["tokens"]["prompt"], prompt);
  EXPECT_EQ(figures["tokens"]["completion"], completion);
  EXPECT_LE(figures["tokens"]["cached"], prompt);
  EXPECT_GT(figures["rows"]["encoder"], 0);
  EXPECT_GT(figures["rows"]["decoder"], 0);
  for (const char* key : {"prefill_tokens_per_s", "decode_tokens_per_s", "bytes_per_token",
                          "peak_bytes", "plan_bytes"}) {
    EXPECT_GT(figures.at(key), 0) << key;
  }
  for (const char* key : {"ttft_s", "token_s"}) {
    EXPECT_GT(figures.at(key).at("p50"), 0) << key;
    EXPECT_GE(figures.at(key).at("p95"), figures.at(key).at("p50")) << key;
  }
}

TEST(BatchRobustnessTest, MetricsAreNamedAsLlamaCppNamesThem) {
  const TempFolder folder;
  const std::string metrics = folder / "metrics.txt";
  ASSERT_EQ(RunBatch(Asks(0, 2), {"--metrics", metrics}).process.exit_code, 0);
  const std::string text = "\n" + ReadBytes(metrics);
  for (const char* name :
       {"prompt_tokens_total", "prompt_seconds_total", "tokens_predicted_total",
        "tokens_predicted_seconds_total", "n_decode_total", "n_busy_slots_per_decode",
        "prompt_tokens_seconds", "predicted_tokens_seconds", "requests_processing",
        "requests_deferred"}) {
    EXPECT_NE(text.find(std::string("\nllamacpp:") + name + " "), std::string::npos) << name;
    EXPECT_NE(text.find(std::string("\n# TYPE llamacpp:") + name + " "), std::string::npos) << name;
  }
  EXPECT_NE(text.find("\nllamacpp:requests_processing 0\n"), std::string::npos) << text;
}

TEST(BatchRobustnessTest, TheSummaryMayGoToStandardOutput) {
  const BatchRun run = RunBatch(Asks(0, 2), {"--summary", "-"});
  EXPECT_EQ(run.process.exit_code, 0) << run.process.err;
  EXPECT_EQ(json::parse(run.process.out)["lines"], json({{"done", 2}, {"failed", 0}}));
}

// In a pipe with answers nobody could tell it from them; metrics are no stream at all.
TEST(BatchRobustnessTest, StandardOutputHoldsOneThing) {
  const TempFolder folder;
  const std::string in = folder.Write("in.jsonl", Asks(0, 1)), out = folder / "out";
  for (const auto& [option, arguments] :
       std::vector<std::pair<std::string, std::vector<std::string>>>{
           {"--summary", {"-o", "-", "--summary", "-"}},
           {"--summary", {"-o", out, "-e", "-", "--summary", "-"}},
           {"--metrics", {"-o", out, "--metrics", "-"}}}) {
    std::vector<std::string> all = {"batch", "demo", "-i", in};
    all.insert(all.end(), arguments.begin(), arguments.end());
    const ProcessResult result = RunCedar(all);
    EXPECT_EQ(result.exit_code, 2) << result.err;
    EXPECT_EQ(result.err.rfind("cedar: " + option + ": found \"-\"", 0), 0u) << result.err;
    EXPECT_EQ(result.out, "");
  }
}

// Hours of answers must not end in a summary that cannot be written; nothing is touched before that
// is known.
TEST(BatchRobustnessTest, FilesThatCannotBeWrittenAreFoundBeforeTheRun) {
  const TempFolder folder;
  const std::string in = folder.Write("in.jsonl", Asks(0, 1)), none = folder / "no/such.txt";
  for (const char* option : {"--summary", "--metrics"}) {
    for (const std::string& path : {none, folder.path()}) {
      const std::string out = folder.Write("out.jsonl", "Earlier answers.");
      const ProcessResult result =
          RunCedar({"batch", "demo", "-i", in, "-o", out, "--no-resume", option, path});
      EXPECT_EQ(result.exit_code, 1);
      EXPECT_EQ(result.err.rfind("cedar: " + path + ": cannot write: ", 0), 0u) << result.err;
      EXPECT_EQ(ReadBytes(out), "Earlier answers.");
    }
  }
}

TEST(BatchRobustnessTest, AnOldSummaryIsReplaced) {
  const TempFolder folder;
  const std::string summary = folder.Write("summary", std::string(100000, 'x'));
  EXPECT_EQ(RunBatch(Asks(0, 1), {"--summary", summary}).process.exit_code, 0);
  EXPECT_EQ(ReadSummary(summary)["lines"]["done"], 1);
}

TEST(BatchRobustnessTest, MetricsGoWhereASymlinkLeads) {
  const TempFolder folder;
  const std::string metrics = folder.Write("metrics", ""), link = folder / "link";
  std::filesystem::create_symlink(metrics, link);
  EXPECT_EQ(RunBatch(Asks(0, 1), {"--metrics", link}).process.exit_code, 0);
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_NE(ReadBytes(metrics).find("llamacpp:"), std::string::npos);
}

}  // namespace
}  // namespace cedar::test
