// The corpus of batch lines (tests/data/batch), end to end: an answer does not depend on its
// company. All runs are compared with one, so that they are equal among each other too.

#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tests/app/batch_job.h"
#include "tests/app/batch_lines.h"
#include "tests/app/child_process.h"
#include "tests/paths.h"
#include "tests/temp_folder.h"
#include "weights/random.h"

namespace cedar::test {
namespace {

using nlohmann::json;

std::string Corpus() { return ReadBytes(TestDataPath("batch/corpus.jsonl")); }

// A line of the corpus, and the name that it brings; without one a line is called after its place.
struct Line {
  std::string text;
  std::string name;
};

// What a run makes of each line, its name apart.
using Answers = std::map<std::string, std::string>;  // by the line's text

Line ReadLine(std::string text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);
  const json parsed = json::parse(text, nullptr, /*allow_exceptions=*/false);
  const bool named =
      parsed.is_object() && parsed.contains("custom_id") && parsed["custom_id"].is_string();
  return {text, named ? parsed["custom_id"].get<std::string>() : ""};
}

// All but the one that repeats the name of another: which of the two is refused depends on their
// order.
std::vector<Line> Lines() {
  std::vector<Line> lines;
  for (const std::string& text : SplitLines(Corpus())) {
    if (text.find_first_not_of('\r') == text.npos) continue;
    if (text.find("earlier line") == text.npos) lines.push_back(ReadLine(text));
  }
  return lines;
}

std::string Join(const std::vector<Line>& lines) {
  std::string input;
  for (const Line& line : lines) input += line.text + "\n";
  return input;
}

Answers ByLine(const std::vector<Line>& lines, const std::vector<json>& output) {
  std::map<std::string, std::string> by_name;
  for (json answer : output) {
    const std::string name = answer.at("custom_id");
    answer.erase("custom_id");
    by_name[name] += Comparable(answer).dump() + "\n";
  }
  EXPECT_EQ(output.size(), lines.size());
  Answers answers;
  for (size_t i = 0; i < lines.size(); ++i) {
    const std::string& name = lines[i].name;
    answers[lines[i].text] = by_name[name.empty() ? "line-" + std::to_string(i + 1) : name];
  }
  return answers;
}

std::vector<json> RunCorpus(const std::string& input, const std::vector<std::string>& options) {
  const BatchRun run = RunBatch(input, options);
  EXPECT_EQ(run.process.exit_code, 1) << run.process.err;  // some lines are bad
  return run.lines;
}

Answers AnswersOf(const std::vector<Line>& lines, const std::vector<std::string>& options) {
  return ByLine(lines, RunCorpus(Join(lines), options));
}

// What all are compared with.
const std::vector<std::string> kReference = {"--parallel", "64", "--threads", "1"};

void ExpectEqual(const Answers& found, const Answers& expected) {
  EXPECT_EQ(found.size(), expected.size());
  for (const auto& [line, answer] : found) {
    EXPECT_FALSE(answer.empty()) << line;
    EXPECT_EQ(answer, expected.at(line)) << line;
  }
}

void ExpectTheSameWith(const std::vector<std::string>& options) {
  ExpectEqual(AnswersOf(Lines(), options), AnswersOf(Lines(), kReference));
}

TEST(BatchCorpusTest, OneAtATime) { ExpectTheSameWith({"--parallel", "1", "--threads", "1"}); }

TEST(BatchCorpusTest, SevenAtOnceOnTwoThreads) {
  ExpectTheSameWith({"--parallel", "7", "--threads", "2"});
}

TEST(BatchCorpusTest, WithInt8InCompanyAndNot) {
  const std::vector<std::string> int8 = {"--numerics", "int8"};
  const auto with = [&](std::vector<std::string> options) {
    options.insert(options.end(), int8.begin(), int8.end());
    return AnswersOf(Lines(), options);
  };
  ExpectEqual(with({"--parallel", "3", "--threads", "2", "--chunk", "13"}), with(kReference));
}

TEST(BatchCorpusTest, InAnotherOrderAndInOtherChunks) {
  std::vector<Line> lines = Lines();
  Random random(7);
  for (size_t i = lines.size(); i > 1; --i) std::swap(lines[i - 1], lines[random.Next() % i]);
  ExpectEqual(AnswersOf(lines, {"--parallel", "64", "--threads", "2", "--chunk", "13"}),
              AnswersOf(Lines(), kReference));
}

TEST(BatchCorpusTest, WithoutReuse) {
  ExpectTheSameWith({"--parallel", "64", "--threads", "1", "--reuse", "off"});
}

// Each line is a run of its own; every third one, so that the parts of the test can run at once.
void ExpectTheSameAlone(size_t first) {
  const std::vector<Line> lines = Lines();
  const Answers together = AnswersOf(lines, kReference);
  for (size_t i = first; i < lines.size(); i += 3) {
    const std::vector<Line> one = {lines[i]};
    const BatchRun run = RunBatch(Join(one), {"--threads", "1"});
    const std::string& text = lines[i].text;
    EXPECT_EQ(ByLine(one, run.lines).at(text), together.at(text)) << run.process.err << text;
  }
}

TEST(BatchCorpusTest, AloneA) { ExpectTheSameAlone(0); }
TEST(BatchCorpusTest, AloneB) { ExpectTheSameAlone(1); }
TEST(BatchCorpusTest, AloneC) { ExpectTheSameAlone(2); }

TEST(BatchCorpusTest, CutInTheMiddleAndResumed) {
  const std::vector<Line> lines = Lines();
  const Answers whole = AnswersOf(lines, kReference);
  for (const size_t share : {4, 2}) {
    const Job job(Join(lines));
    const size_t cut = lines.size() / share;
    ChildProcess run(job.Arguments({"--parallel", "64"}));
    EXPECT_GE(WaitForLines(job.out(), cut, run), cut);
    run.Signal(SIGKILL);
    ASSERT_EQ(run.Wait(), 128 + SIGKILL);
    EXPECT_EQ(job.Run({"--parallel", "7"}).exit_code, 1);
    ExpectEqual(ByLine(lines, job.lines()), whole);
  }
}

// Of the corpus's schema (tests/data/batch/make_corpus.py).
void ExpectOrder(const json& order) {
  ASSERT_TRUE(order.is_object());
  ASSERT_TRUE(order.contains("pounds") && order.contains("kind")) << order;
  EXPECT_TRUE(order["pounds"].is_number_integer()) << order;
  EXPECT_GE(order["pounds"], 0);
  EXPECT_LE(order["pounds"], 999);
  EXPECT_TRUE(order["kind"] == "map" || order["kind"] == "pen" || order["kind"] == "rope") << order;
  for (const auto& [key, value] : order.items()) {
    EXPECT_TRUE(key == "pounds" || key == "kind" || (key == "name" && value.is_string())) << order;
  }
}

// The text must be what the request asked for, if it was not cut for its length.
void CheckFormat(const json& format, const json& choice) {
  if (choice["finish_reason"] != "stop") return;
  const json answer = json::parse(choice["message"]["content"].get<std::string>(), nullptr, false);
  ASSERT_FALSE(answer.is_discarded()) << choice;
  if (format["type"] == "json_schema") return ExpectOrder(answer);
  EXPECT_TRUE(answer.is_object()) << choice;
}

void CheckUsage(const json& usage) {
  const int64_t cached = usage["prompt_tokens_details"]["cached_tokens"];
  EXPECT_GE(cached, 0) << usage;
  EXPECT_LE(cached, usage["prompt_tokens"]) << usage;
}

TEST(BatchCorpusTest, GoodLinesAreAnsweredAndBadOnesSayWhy) {
  std::map<std::string, json> formats;
  for (const Line& line : Lines()) {
    if (!line.name.starts_with("good")) continue;
    const json request = json::parse(line.text);
    if (request["body"].contains("response_format")) {
      formats[line.name] = request["body"]["response_format"];
    }
  }
  size_t good = 0, bad = 0, repeated = 0, formatted = 0;
  for (const json& line : RunCorpus(Corpus(), kReference)) {
    const std::string custom_id = line["custom_id"];
    if (line["response"]["status_code"] == 200) {
      CheckUsage(line["response"]["body"]["usage"]);
      EXPECT_FALSE(custom_id.starts_with("bad")) << line;
      EXPECT_TRUE(line["error"].is_null()) << line;
      ++good;
      if (!formats.contains(custom_id)) continue;
      const json& choice = line["response"]["body"]["choices"][0];
      formatted += choice["finish_reason"] == "stop";
      CheckFormat(formats[custom_id], choice);
      continue;
    }
    EXPECT_EQ(line["response"]["status_code"], 400) << line;
    EXPECT_FALSE(line["error"]["message"].get<std::string>().empty()) << line;
    ++bad;
    if (!custom_id.starts_with("good")) continue;
    EXPECT_EQ(custom_id, "good-0");
    EXPECT_EQ(line["error"]["code"], "duplicate_custom_id");
    ++repeated;
  }
  EXPECT_EQ(good + bad, 368u);
  EXPECT_EQ(bad, 92u);
  EXPECT_EQ(repeated, 1u);
  EXPECT_GT(formatted, 0u);  // or nothing was checked
}

}  // namespace
}  // namespace cedar::test
