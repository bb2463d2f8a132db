// The corpus of batch lines (tests/data/batch), end to end: an answer does not depend on its
// company. All runs are compared with one, so that they are equal among each other too.

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "tests/app/batch_lines.h"
#include "tests/paths.h"
#include "tests/temp_folder.h"
#include "weights/random.h"

namespace cedar::test {
namespace {

using nlohmann::json;
using Answers = std::map<std::string, std::string>;

std::string Corpus() { return ReadBytes(TestDataPath("batch/corpus.jsonl")); }

// The lines that have a name of their own: others are called after their place. One repeats the
// name of another, and which of the two is refused depends on their order.
std::vector<std::string> NamedLines() {
  std::vector<std::string> lines;
  for (std::string line : SplitLines(Corpus())) {
    if (line.ends_with('\r')) line.pop_back();
    if (line.starts_with("\xEF\xBB\xBF")) line.erase(0, 3);
    const json parsed = json::parse(line, nullptr, /*allow_exceptions=*/false);
    const bool named =
        parsed.is_object() && parsed.contains("custom_id") && parsed["custom_id"].is_string();
    if (named && line.find("earlier line") == line.npos) lines.push_back(line);
  }
  return lines;
}

std::string Join(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

std::vector<json> RunCorpus(const std::string& input, std::vector<std::string> options) {
  const BatchRun run = RunBatch(input, options);
  EXPECT_EQ(run.process.exit_code, 1) << run.process.err;  // some lines are bad
  return run.lines;
}

Answers AnswersOf(const std::string& input, std::vector<std::string> options) {
  return ByCustomId(RunCorpus(input, std::move(options)));
}

// What all are compared with.
const std::vector<std::string> kReference = {"--parallel", "64", "--threads", "1"};

void ExpectEqual(const Answers& found, const Answers& expected) {
  EXPECT_EQ(found.size(), expected.size());
  for (const auto& [custom_id, lines] : found) {
    const auto it = expected.find(custom_id);
    ASSERT_NE(it, expected.end()) << custom_id;
    EXPECT_EQ(lines, it->second);
  }
}

TEST(BatchCorpusTest, OneAtATime) {
  ExpectEqual(AnswersOf(Corpus(), {"--parallel", "1", "--threads", "1"}),
              AnswersOf(Corpus(), kReference));
}

TEST(BatchCorpusTest, SevenAtOnceOnTwoThreads) {
  ExpectEqual(AnswersOf(Corpus(), {"--parallel", "7", "--threads", "2"}),
              AnswersOf(Corpus(), kReference));
}

TEST(BatchCorpusTest, WithInt8InCompanyAndNot) {
  const std::vector<std::string> int8 = {"--numerics", "int8"};
  const auto with = [&](std::vector<std::string> options) {
    options.insert(options.end(), int8.begin(), int8.end());
    return AnswersOf(Corpus(), options);
  };
  ExpectEqual(with({"--parallel", "3", "--threads", "2", "--chunk", "13"}), with(kReference));
}

TEST(BatchCorpusTest, InAnotherOrderAndInOtherChunks) {
  std::vector<std::string> lines = NamedLines();
  const Answers expected = AnswersOf(Join(lines), kReference);
  Random random(7);
  for (size_t i = lines.size(); i > 1; --i) std::swap(lines[i - 1], lines[random.Next() % i]);
  ExpectEqual(AnswersOf(Join(lines), {"--parallel", "64", "--threads", "2", "--chunk", "13"}),
              expected);
}

TEST(BatchCorpusTest, WithoutReuse) {
  ExpectEqual(AnswersOf(Corpus(), {"--parallel", "64", "--threads", "1", "--reuse", "off"}),
              AnswersOf(Corpus(), kReference));
}

TEST(BatchCorpusTest, Alone) {
  const std::vector<std::string> lines = NamedLines();
  const Answers together = AnswersOf(Join(lines), kReference);
  Random random(11);
  for (int i = 0; i < 40; ++i) {
    const BatchRun run = RunBatch(lines[random.Next() % lines.size()]);
    ASSERT_EQ(run.lines.size(), 1u) << run.process.err;
    const std::string custom_id = run.lines[0]["custom_id"];
    EXPECT_EQ(ByCustomId(run.lines).at(custom_id), together.at(custom_id));
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

TEST(BatchCorpusTest, GoodLinesAreAnsweredAndBadOnesSayWhy) {
  std::map<std::string, json> formats;
  for (const std::string& line : NamedLines()) {
    const json request = json::parse(line);
    if (!request.contains("body") || !request["body"].is_object()) continue;
    if (request["body"].contains("response_format")) {
      formats[request["custom_id"]] = request["body"]["response_format"];
    }
  }
  size_t good = 0, bad = 0, repeated = 0, formatted = 0;
  for (const json& line : RunCorpus(Corpus(), kReference)) {
    const std::string custom_id = line["custom_id"];
    if (line["response"]["status_code"] == 200) {
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
