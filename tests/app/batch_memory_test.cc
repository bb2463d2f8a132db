// The memory of a long run: as planned, and flat. Of the release build, since sanitizers keep
// memory of their own.

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "tests/app/batch_lines.h"
#include "tests/app/child_process.h"
#include "tests/temp_folder.h"
#include "weights/random.h"

namespace cedar::test {
namespace {

using nlohmann::json;

constexpr size_t kLines = 2000;
// Lines after which all that is planned is in use, and the longer first lines are gone.
constexpr size_t kFilled = 300;
// Lines after which the input is all prepared, and what it takes shrinks.
constexpr size_t kLast = 1600;

std::string Sale(Random& random) {
  const std::vector<std::string> names = {"Park", "Klein", "West", "Moss", "Lang", "Nolan"};
  return " Mr " + names[random.Next() % names.size()] + " bought " +
         std::to_string(random.Next() % 90) + " ropes for " + std::to_string(random.Next() % 900) +
         " pounds.";
}

// Ledgers that `group` lines go on from, each line with one more sale than the one before: every
// line but the last of a group leaves a prefix to be kept.
std::string Lines(size_t first, size_t end, size_t group, size_t sales) {
  std::string lines;
  for (size_t i = first; i < end; ++i) {
    Random random(i / group);
    std::string ledger = "Ledger " + std::to_string(i / group) + ".";
    for (size_t sale = 0; sale < sales + i % group; ++sale) ledger += Sale(random);
    json body = Question(ledger + "\n\nWho paid the most?");
    body["max_tokens"] = 2;
    lines += BatchLine(std::to_string(i), body);
  }
  return lines;
}

// Memory of its own that a process has now, in bytes; 0 when it has ended.
size_t AnonymousBytes(pid_t pid) {
  std::ifstream status("/proc/" + std::to_string(pid) + "/status");
  std::string key;
  size_t kib = 0;
  while (status >> key) {
    if (key == "RssAnon:" && status >> kib) break;
  }
  return kib << 10;
}

double Median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

struct Watched {
  std::vector<double> bytes;  // of the process, from kFilled to kLast answers, every few milliseconds
  json summary;
};

Watched Watch(const std::string& input, std::vector<std::string> options) {
  const TempFolder folder;
  const std::string out = folder.Write("out.jsonl", ""), summary = folder / "summary.json";
  std::vector<std::string> arguments = {
      "batch", "demo", "-i", folder.Write("in.jsonl", input), "-o", out, "--summary", summary};
  arguments.insert(arguments.end(), options.begin(), options.end());
  Watched watched;
  ChildProcess run(arguments);
  std::ifstream answers(out);
  size_t lines = 0;
  std::string line;
  while (!run.Poll()) {
    std::this_thread::sleep_for(std::chrono::milliseconds(3));
    answers.clear();
    while (lines < kLines && std::getline(answers, line)) ++lines;
    const size_t bytes = AnonymousBytes(run.pid());
    if (lines >= kFilled && lines < kLast && bytes > 0) {
      watched.bytes.push_back(static_cast<double>(bytes));
    }
  }
  EXPECT_EQ(run.Wait(), 0);
  watched.summary = json::parse(ReadBytes(summary));
  return watched;
}

TEST(BatchMemoryTest, IsFlatAndAsPlanned) {
  // Of 20 MB that are planned 10 are scratch, 4 states of prefixes (132 of them, so that they are
  // all taken early), 2 pages, 1.5 the program and the rest requests and lines. The first lines are
  // longer and share less, and so fill the pages.
  const std::string input = Lines(0, 201, 3, 8) + Lines(204, kLines + 3, 4, 2);
  const Watched run =
      Watch(input, {"--memory", "28M", "--ctx", "256", "--parallel", "32", "--threads", "1"});
  EXPECT_EQ(run.summary["lines"], json({{"done", kLines}, {"failed", 0}}));
  ASSERT_GT(run.bytes.size(), 100u);
  // Lines come in groups and leave one by one, so it goes up and down a little: around the same
  // value in the first tenth of the time as in the last.
  const double level = Median(run.bytes);
  const auto [least, most] = std::minmax_element(run.bytes.begin(), run.bytes.end());
  EXPECT_LT(*most, 1.02 * level);
  EXPECT_GT(*least, 0.98 * level);
  const auto tenth = static_cast<std::ptrdiff_t>(run.bytes.size() / 10);
  EXPECT_NEAR(Median({run.bytes.end() - tenth, run.bytes.end()}),
              Median({run.bytes.begin(), run.bytes.begin() + tenth}), 0.02 * level);
  const double plan = run.summary["plan_bytes"], peak = run.summary["peak_bytes"];
  EXPECT_LT(peak, 1.03 * plan);
  EXPECT_GT(peak, 0.97 * plan);
  EXPECT_LT(*most, 1.03 * plan);
}

}  // namespace
}  // namespace cedar::test
