// cedar batch --check --pilot N, as a program.

#include <gtest/gtest.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "tests/app/batch_job.h"
#include "tests/app/batch_lines.h"
#include "tests/app/run_process.h"
#include "tests/temp_folder.h"

namespace cedar::test {
namespace {

using nlohmann::json;

constexpr int kLines = 40;

std::set<std::string> NamesOf(const std::vector<json>& lines) {
  std::set<std::string> names;
  for (const json& line : lines) names.insert(line["custom_id"]);
  return names;
}

TEST(BatchPilotTest, AnswersAFewAndTellsWhatAllTake) {
  const Job job(Asks(0, kLines, 20) + BadLine("bad"));
  const std::string figures = job.folder / "summary";
  const ProcessResult pilot =
      job.Run({"--check", "--pilot", "10", "--summary", figures, "--parallel", "4"});
  EXPECT_EQ(pilot.exit_code, 1) << pilot.err;  // of the line that would fail
  EXPECT_NE(pilot.out.find("line 41 (bad)"), std::string::npos) << pilot.out;
  EXPECT_NE(pilot.out.find("whole:   40 lines"), std::string::npos) << pilot.out;
  EXPECT_NE(pilot.out.find("left:    30 lines"), std::string::npos) << pilot.out;
  EXPECT_NE(pilot.out.find(" h"), std::string::npos) << pilot.out;
  EXPECT_NE(pilot.out.find("95 %"), std::string::npos) << pilot.out;
  EXPECT_EQ(NamesOf(job.lines()),
            (std::set<std::string>{"2", "6", "10", "14", "18", "22", "26", "30", "34", "38"}));
  const json told = json::parse(ReadBytes(figures))["pilot"];
  EXPECT_EQ(told["drawn"], 10);
  // Those that were drawn count as done; the rest is as was told.
  const ProcessResult rest = job.Run({"--parallel", "4"});
  EXPECT_EQ(rest.exit_code, 1) << rest.err;
  EXPECT_NE(rest.err.find("30 done, 1 failed, 10 done"), std::string::npos) << rest.err;
  size_t prompt = 0, generated = 0;
  for (const json& line : job.lines()) {
    if (!line["response"]["body"].is_object()) continue;
    prompt += line["response"]["body"]["usage"]["prompt_tokens"].get<size_t>();
    generated += line["response"]["body"]["usage"]["completion_tokens"].get<size_t>();
  }
  EXPECT_EQ(told["whole"]["prompt_tokens"], prompt);
  const json& bar = told["whole"]["generated_tokens"];
  EXPECT_NEAR(bar["estimate"].get<double>(), generated, 0.3 * generated);
  EXPECT_LE(bar["low"], bar["estimate"]);
  EXPECT_GE(bar["high"], bar["estimate"]);
  EXPECT_GT(told["whole"]["hours"]["estimate"], told["left"]["hours"]["estimate"]);
}

TEST(BatchPilotTest, DrawsNothingTwiceAndNoMoreThanThereIs) {
  const Job job(Asks(0, 6));
  for (const size_t done : {2, 4, 6, 6}) {
    const ProcessResult pilot = job.Run({"--check", "--pilot", "2"});
    EXPECT_EQ(pilot.exit_code, 0) << pilot.err;
    EXPECT_EQ(NamesOf(job.lines()).size(), done);
    EXPECT_EQ(job.lines().size(), done);
  }
  const Job whole(Asks(0, 6));
  const ProcessResult pilot = whole.Run({"--check", "--pilot", "1000"});
  EXPECT_EQ(pilot.exit_code, 0) << pilot.err;
  EXPECT_EQ(whole.lines().size(), 6u);
  EXPECT_NE(pilot.out.find("left:    0 lines"), std::string::npos) << pilot.out;
}

TEST(BatchPilotTest, DrawsDocumentsToo) {
  const TempFolder folder;
  for (int i = 0; i < 9; ++i) {
    folder.Write(std::to_string(i) + ".txt", "Mr Park buys rope " + std::to_string(i) + ".");
  }
  const std::string out = folder / "out.jsonl";
  const std::vector<std::string> arguments = {"batch",       "demo",
                                              "--documents", folder / "*.txt",
                                              "--prompt",    "Who?",
                                              "-o",          out,
                                              "--no-think",  "--max-tokens",
                                              "4",           "--check",
                                              "--pilot",     "3",
                                              "--threads",   "1"};
  const ProcessResult pilot = RunCedar(arguments);
  EXPECT_EQ(pilot.exit_code, 0) << pilot.err;
  EXPECT_EQ(NamesOf(ParseLines(ReadBytes(out))),
            (std::set<std::string>{folder / "1.txt", folder / "4.txt", folder / "7.txt"}));
}

TEST(BatchPilotTest, NeedsAllLinesAndAPlaceForAnswers) {
  const Job job(Asks(0, 2));
  const std::vector<std::vector<std::string>> cases = {
      {"batch", "demo", "-i", job.in(), "-o", job.out(), "--pilot", "2"},
      {"batch", "demo", "-i", job.in(), "--check", "--pilot", "2"},
      {"batch", "demo", "-i", job.in(), "-o", "-", "--check", "--pilot", "2"},
      {"batch", "demo", "-i", job.in(), "-o", job.out(), "--check", "--pilot", "0"},
      {"batch", "demo", "-i", "-", "-o", job.out(), "--check", "--pilot", "2"},
      {"batch", "demo", "-i", "/dev/stdin", "-o", job.out(), "--check", "--pilot", "2"}};
  for (const std::vector<std::string>& arguments : cases) {
    const ProcessResult result = RunCedar(arguments, {.input = Asks(0, 2)});
    EXPECT_EQ(result.exit_code, 2) << result.err;
    EXPECT_NE(result.err.find(arguments == cases[1] ? "-o" : "--pilot"), std::string::npos)
        << result.err;
    EXPECT_NE(access(job.out().c_str(), F_OK), 0);
  }
}

}  // namespace
}  // namespace cedar::test
