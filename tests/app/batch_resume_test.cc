// cedar batch goes on where an earlier run stopped, whatever stopped it.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/file.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tests/app/batch_job.h"
#include "tests/app/batch_lines.h"
#include "tests/app/child_process.h"
#include "tests/app/held_out.h"
#include "tests/app/run_process.h"
#include "tests/temp_folder.h"

namespace cedar::test {
namespace {

using nlohmann::json;

// So many of the lines were computed by this run.
void ExpectDone(const ProcessResult& result, const std::string& figures) {
  EXPECT_NE(result.err.find("lines:      " + figures), std::string::npos) << result.err;
}

TEST(BatchResumeTest, WhatIsDoneIsNotDoneAgain) {
  const Job job(Ask("a") + Ask("b"));
  ExpectDone(job.Run(), "2 done, 0 failed, 0 done and 0 failed before");
  const std::string before = job.text();
  ExpectDone(job.Run(), "0 done, 0 failed, 2 done and 0 failed before");
  EXPECT_EQ(job.text(), before);
  ExpectDone(job.Run({"--no-resume"}), "2 done, 0 failed, 0 done and 0 failed before");
  EXPECT_EQ(ByCustomId(job.lines()), ByCustomId(ParseLines(before)));
}

// The last line may be torn at any byte.
TEST(BatchResumeTest, ATornLastLineIsMadeAgain) {
  const Job job(Ask("a") + Ask("b"));
  ASSERT_EQ(job.Run().exit_code, 0);
  const std::string whole = job.text();
  const size_t first = whole.find('\n') + 1;
  for (const size_t size : {first + 1, first + 70, whole.size() - 2}) {
    job.folder.Write("out.jsonl", whole.substr(0, size));
    ExpectDone(job.Run(), "1 done, 0 failed, 1 done and 0 failed before");
    EXPECT_EQ(ByCustomId(job.lines()), ByCustomId(ParseLines(whole)));
  }
}

// What follows the damage is not lost with it.
TEST(BatchResumeTest, ADamagedLineIsMadeAgain) {
  const Job job(Ask("a") + Ask("b"));
  ASSERT_EQ(job.Run().exit_code, 0);
  const std::vector<json> whole = job.lines();
  const std::vector<std::pair<std::string, json>> kDamage = {{"/response/status_code", "200"},
                                                             {"/response/status_code", nullptr},
                                                             {"/response/status_code", 500},
                                                             {"/response/body", nullptr},
                                                             {"/response/body/choices", 1},
                                                             {"/response", nullptr},
                                                             {"/custom_id", 7},
                                                             {"/error", "none"}};
  for (const auto& [place, value] : kDamage) {
    json line = whole.at(0);
    line[json::json_pointer(place)] = value;
    job.folder.Write("out.jsonl", line.dump() + "\n" + whole.at(1).dump() + "\n");
    const ProcessResult result = job.Run();
    ExpectDone(result, "1 done, 0 failed, 1 done and 0 failed before");
    EXPECT_NE(result.err.find("out.jsonl: 1 line is damaged"), std::string::npos) << result.err;
    EXPECT_EQ(ByCustomId(job.lines()), ByCustomId(whole)) << place;
  }
  // Even if nothing else is left.
  json line = whole.at(0);
  line["response"]["status_code"] = "200";
  job.folder.Write("out.jsonl", line.dump() + "\n" + line.dump().substr(1) + "\n");
  const ProcessResult result = job.Run();
  ExpectDone(result, "2 done, 0 failed, 0 done and 0 failed before");
  EXPECT_NE(result.err.find("out.jsonl: 2 lines are damaged"), std::string::npos) << result.err;
}

TEST(BatchResumeTest, ASymlinkStaysOneWhenItsFileIsWrittenAnew) {
  const Job job(Ask("a") + BadLine("b"));
  ASSERT_EQ(job.Run().exit_code, 1);
  const std::string real = job.folder / "real.jsonl";
  std::filesystem::rename(job.out(), real);
  std::filesystem::permissions(
      real, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  std::filesystem::create_symlink("real.jsonl", job.out());
  job.folder.Write("in.jsonl", Ask("a") + Ask("b"));
  ExpectDone(job.Run(), "1 done, 0 failed, 1 done and 0 failed before");
  EXPECT_TRUE(std::filesystem::is_symlink(job.out()));
  EXPECT_EQ(ParseLines(ReadBytes(real)).size(), 2u);
  EXPECT_EQ(std::filesystem::status(real).permissions(),
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
}

TEST(BatchResumeTest, AFileThatIsNoWorkOfOursStaysAsItIs) {
  const Job job(Ask("a"));
  for (const std::string text : {"Notes.\nMore notes.\n", "Notes", "{\"a\": 1}\n"}) {
    job.folder.Write("out.jsonl", text);
    const ProcessResult result = job.Run();
    EXPECT_EQ(result.exit_code, 1);
    EXPECT_NE(result.err.find("out.jsonl: found a file without a single answer"), std::string::npos)
        << result.err;
    EXPECT_EQ(job.text(), text);
  }
  ExpectDone(job.Run({"--no-resume"}), "1 done, 0 failed, 0 done and 0 failed before");
}

TEST(BatchResumeTest, TwoRunsDoNotShareAnOutput) {
  const Job job(Ask("a"));
  const std::string out = job.folder.Write("out.jsonl", "");
  const int descriptor = open(out.c_str(), O_RDWR);
  ASSERT_EQ(flock(descriptor, LOCK_EX), 0);
  const ProcessResult result = job.Run();
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_NE(result.err.find("another run is writing to it"), std::string::npos) << result.err;
  close(descriptor);
  EXPECT_EQ(job.Run().exit_code, 0);
}

TEST(BatchResumeTest, LinesThatAreAlikeEachKeepTheirAnswer) {
  // Without names they are called after their places; with one, the second is refused.
  const std::string line = "{\"prompt\": \"Hello\", \"max_tokens\": 3}\n";
  const Job job(line + line + Ask("a") + Ask("a"));
  EXPECT_EQ(job.Run().exit_code, 1);
  const auto before = ByCustomId(job.lines());
  EXPECT_EQ(job.lines().size(), 4u);
  EXPECT_TRUE(before.contains("line-1") && before.contains("line-2"));
  ExpectDone(job.Run(), "0 done, 0 failed, 3 done and 1 failed before");
  EXPECT_EQ(ByCustomId(job.lines()), before);
}

TEST(BatchResumeTest, FailedLinesRunAgainOnlyWhenWanted) {
  const Job job(Ask("a") + BadLine("b"));
  EXPECT_EQ(job.Run().exit_code, 1);
  ExpectDone(job.Run(), "0 done, 0 failed, 1 done and 1 failed before");
  ExpectDone(job.Run({"--retry-errors"}), "0 done, 1 failed, 1 done and 0 failed before");
  EXPECT_EQ(job.lines().size(), 2u);
}

// A line without an answer is one, whichever run found out.
TEST(BatchResumeTest, ALineThatFailedBeforeIsStillAFailure) {
  const Job job(Ask("a") + BadLine("b"));
  EXPECT_EQ(job.Run().exit_code, 1);
  EXPECT_EQ(job.Run({"--summary", job.folder / "summary"}).exit_code, 1);
  const json summary = json::parse(ReadBytes(job.folder / "summary"));
  EXPECT_EQ(summary["lines"], json({{"done", 1}, {"failed", 1}}));
}

TEST(BatchResumeTest, FailedLinesMayHaveAFileOfTheirOwn) {
  const Job job(Ask("a") + BadLine("b") + Ask("c"));
  const std::string errors = job.folder / "errors.jsonl";
  EXPECT_EQ(job.Run({"-e", errors}).exit_code, 1);
  EXPECT_EQ(job.lines().size(), 2u);
  EXPECT_EQ(ByCustomId(ParseLines(ReadBytes(errors))).count("b"), 1u);
  ExpectDone(job.Run({"-e", errors}), "0 done, 0 failed, 2 done and 1 failed before");
  ExpectDone(job.Run({"-e", errors, "--retry-errors"}),
             "0 done, 1 failed, 2 done and 0 failed before");
  EXPECT_EQ(ParseLines(ReadBytes(errors)).size(), 1u);
  // The line is put right: its answer comes, its failure goes.
  job.folder.Write("in.jsonl", Ask("a") + Ask("b") + Ask("c"));
  const ProcessResult last = job.Run({"-e", errors});
  EXPECT_EQ(last.exit_code, 0) << last.err;
  ExpectDone(last, "1 done, 0 failed, 2 done and 0 failed before");
  EXPECT_EQ(job.lines().size(), 3u);
  EXPECT_EQ(ReadBytes(errors), "");
}

TEST(BatchResumeTest, StandardInputResumesToo) {
  const TempFolder folder;
  const std::vector<std::string> arguments = {"batch", "demo", "-i", "-", "-o", folder / "out"};
  const std::string input = Ask("a") + Ask("b");
  EXPECT_EQ(RunCedar(arguments, {.input = Ask("a")}).exit_code, 0);
  ExpectDone(RunCedar(arguments, {.input = input}), "1 done, 0 failed, 1 done and 0 failed before");
  EXPECT_EQ(ParseLines(ReadBytes(folder / "out")).size(), 2u);
}

}  // namespace
}  // namespace cedar::test
