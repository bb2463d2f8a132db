// cedar batch killed at random moments, and started again until all is done.

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "tests/app/batch_job.h"
#include "tests/app/batch_lines.h"
#include "tests/app/child_process.h"
#include "tests/temp_folder.h"
#include "weights/random.h"

namespace cedar::test {
namespace {

using nlohmann::json;
using Answers = std::map<std::string, std::string>;

constexpr int kLines = 24;
constexpr int kEveryBad = 5;

// Lines of every length of answer, some of several choices, some bad.
std::string Input() {
  std::string input;
  for (int i = 0; i < kLines; ++i) {
    const std::string name = std::to_string(i);
    json body = Question("Mr " + name + " buys a rope.");
    body["max_tokens"] = 1 + 7 * (i % 12);
    body["temperature"] = 1;
    body["ignore_eos"] = true;
    body["n"] = 1 + i % 2;
    input += i % kEveryBad == 3 ? BadLine(name) : BatchLine(name, body);
  }
  return input;
}

// The lines of a file that are finished: a kill may have torn the last one.
std::vector<json> WholeLines(const std::string& path) {
  if (access(path.c_str(), F_OK) != 0) return {};
  const std::string text = ReadBytes(path);
  return ParseLines(text.substr(0, text.rfind('\n') + 1));
}

// A job whose runs take its input now from a file and now from a pipe, one request at a time or
// eight.
class KilledJob {
 public:
  KilledJob(const std::string& input, bool errors_apart)
      : job_(input), input_(input), errors_apart_(errors_apart) {}

  // Starts a run that is killed after so long, unless it ends before: its exit code.
  int Run(Random& random, double seconds) {
    const bool piped = random.Next() % 2 == 0;
    ChildProcess run(Arguments(piped, random.Next() % 2 == 0 ? "1" : "8"));
    if (piped) run.Write(input_);
    run.CloseInput();
    usleep(static_cast<useconds_t>(seconds * 1e6));
    run.Signal(SIGKILL);
    return run.Wait();
  }
  int Finish() const { return RunCedar(Arguments(/*piped=*/false, "8")).exit_code; }

  // No line is answered twice or differently from an undisturbed run, and each in its file.
  // Returns how many there are.
  size_t Check(const Answers& expected) const {
    std::set<std::string> seen;
    for (const bool in_errors : {false, true}) {
      if (in_errors && !errors_apart_) continue;
      for (const json& line : WholeLines(in_errors ? errors() : job_.out())) {
        const std::string name = line.at("custom_id");
        EXPECT_TRUE(seen.insert(name).second) << name << " is there twice";
        EXPECT_EQ(Comparable(line).dump() + "\n", expected.at(name));
        const bool failed = !line.at("error").is_null();
        EXPECT_EQ(failed && errors_apart_, in_errors) << name;
      }
    }
    return seen.size();
  }

 private:
  std::string errors() const { return job_.folder / "errors.jsonl"; }

  std::vector<std::string> Arguments(bool piped, const std::string& parallel) const {
    std::vector<std::string> all = {"batch",      "demo",     "-i",        piped ? "-" : job_.in(),
                                    "-o",         job_.out(), "--threads", "1",
                                    "--parallel", parallel,   "--chunk",   "16"};
    if (errors_apart_) all.insert(all.end(), {"-e", errors()});
    return all;
  }

  Job job_;
  std::string input_;
  bool errors_apart_;
};

// Kills runs at random moments until `kills` of them were hit; a job that is done before begins
// anew. Moments are spread over the length of a run that is left alone.
void KillRuns(uint64_t seed, int kills, bool errors_apart) {
  const std::string input = Input();
  const auto begin = std::chrono::steady_clock::now();
  const Answers expected = ByCustomId(RunBatch(input, {"--threads", "1"}).lines);
  const std::chrono::duration<double> length = std::chrono::steady_clock::now() - begin;
  ASSERT_EQ(expected.size(), static_cast<size_t>(kLines));
  auto job = std::make_unique<KilledJob>(input, errors_apart);
  Random random(seed);
  size_t before = 0;
  for (int hit = 0; hit < kills;) {
    const int ended = job->Run(random, random.NextUnit() * length.count());
    const size_t done = job->Check(expected);
    EXPECT_GE(done, before);  // what was finished stays
    before = done;
    // The signal may come too late for a run that is just ending by itself.
    if (ended == 128 + SIGKILL) {
      ++hit;
      continue;
    }
    EXPECT_EQ(ended, 1);
    EXPECT_EQ(done, static_cast<size_t>(kLines));
    job = std::make_unique<KilledJob>(input, errors_apart);
    before = 0;
  }
  EXPECT_EQ(job->Finish(), 1);
  EXPECT_EQ(job->Check(expected), static_cast<size_t>(kLines));
}

TEST(BatchKillTest, AtAnyMomentA) { KillRuns(1, 25, /*errors_apart=*/false); }
TEST(BatchKillTest, AtAnyMomentB) { KillRuns(2, 25, /*errors_apart=*/false); }
TEST(BatchKillTest, AtAnyMomentWithErrorsApartA) { KillRuns(3, 25, /*errors_apart=*/true); }
TEST(BatchKillTest, AtAnyMomentWithErrorsApartB) { KillRuns(4, 25, /*errors_apart=*/true); }

}  // namespace
}  // namespace cedar::test
