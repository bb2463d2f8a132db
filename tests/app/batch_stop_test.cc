// What cedar batch tells of itself when something stops it, and of lines that failed.

#include <gtest/gtest.h>
#include <signal.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/app/batch_job.h"
#include "tests/app/batch_lines.h"
#include "tests/app/child_process.h"
#include "tests/app/run_process.h"
#include "tests/app/small_disk.h"
#include "tests/temp_folder.h"

namespace cedar::test {
namespace {

using nlohmann::json;

json ReadSummary(const Job& job) { return json::parse(ReadBytes(job.folder / "summary")); }

TEST(BatchStopTest, ASignalEndsInASummary) {
  for (const auto& [signal, name] :
       {std::pair{SIGINT, "by SIGINT"}, {SIGTERM, "by SIGTERM"}, {SIGHUP, "by SIGHUP"}}) {
    const Job job(BadLine("bad") + Asks(0, 40, 20));
    ChildProcess run(job.Arguments({"--parallel", "4", "--summary", job.folder / "summary"}));
    EXPECT_GT(WaitForLines(job.out(), 2, run), 0u);
    run.Signal(signal);
    EXPECT_EQ(run.Wait(), 130);
    const json summary = ReadSummary(job);
    const size_t lines = job.lines().size();
    EXPECT_EQ(summary["lines"], json({{"done", lines - 1}, {"failed", 1}}));
    EXPECT_EQ(summary["lines_left"], 41 - lines);
    EXPECT_EQ(summary["stopped"], name);
    EXPECT_EQ(summary["failures"], json({{"invalid_request", 1}}));
  }
}

TEST(BatchStopTest, ARunThatEndsByItselfWasNotStopped) {
  const Job job(Asks(0, 2));
  ASSERT_EQ(job.Run({"--summary", job.folder / "summary"}).exit_code, 0);
  const json summary = ReadSummary(job);
  EXPECT_EQ(summary["stopped"], nullptr);
  EXPECT_EQ(summary["lines_left"], 0);
  EXPECT_EQ(summary["kept_answers"], 0);
  EXPECT_EQ(summary["failures"], json::object());
}

TEST(BatchStopTest, AFullDiskEndsInASummary) {
  const Job job(Asks(0, 60));
  const SmallDisk disk(job.folder / "disk");
  if (!disk.mounted()) GTEST_SKIP() << "only root can mount a small file system";
  std::vector<std::string> arguments = job.Arguments({"--summary", job.folder / "summary"});
  arguments[5] = job.folder / "disk/out.jsonl";
  EXPECT_EQ(RunCedar(arguments).exit_code, 1);
  const json summary = ReadSummary(job);
  EXPECT_NE(summary["stopped"].get<std::string>().find("No space left"), std::string::npos);
  EXPECT_GT(summary["lines"]["done"], 0);
  EXPECT_GT(summary["lines_left"], 0);
}

TEST(BatchStopTest, FailuresAreCountedByKindAndTheFirstAreNamed) {
  std::string input = Ask("fine");
  for (int i = 0; i < 4; ++i) input += BadLine("bad-" + std::to_string(i));
  const Job job(input + Ask("fine"));
  const std::string errors = job.folder / "errors.jsonl";
  // A later run names those of the earlier one.
  for (int run = 0; run < 2; ++run) {
    const ProcessResult result = job.Run({"-e", errors, "--summary", job.folder / "summary"});
    EXPECT_EQ(result.exit_code, 1);
    for (const std::string& text :
         {std::string("failed:     1 duplicate_custom_id, 4 invalid_request\n"),
          std::string("  bad-0: body.stream: "), std::string("  bad-2: body.stream: "),
          "  and 2 more in " + errors + "\n"}) {
      EXPECT_NE(result.err.find(text), std::string::npos) << text << " not in\n" << result.err;
    }
    EXPECT_EQ(result.err.find("bad-3"), std::string::npos) << result.err;
    EXPECT_EQ(ReadSummary(job)["failures"],
              json({{"invalid_request", 4}, {"duplicate_custom_id", 1}}));
  }
}

}  // namespace
}  // namespace cedar::test
