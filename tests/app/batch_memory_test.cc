// The memory of a long run: as planned, and flat. Of the release build, since sanitizers keep
// memory of their own.

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
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
// Answers after which all that is planned is in use.
constexpr size_t kFilled = 200;
// Lines that go on from one another.
constexpr size_t kGroup = 5;

std::string Sale(Random& random) {
  const std::vector<std::string> names = {"Park", "Klein", "West", "Moss", "Lang", "Nolan"};
  return " Mr " + names[random.Next() % names.size()] + " bought " +
         std::to_string(random.Next() % 90) + " ropes for " + std::to_string(random.Next() % 900) +
         " pounds.";
}

// Ledgers that a group of lines go on from, each with one more sale than the one before: every line
// but the last of a group leaves a prefix to be kept.
std::string Line(size_t i) {
  constexpr size_t kSales = 8;
  Random random(i / kGroup);
  std::string ledger = "Ledger " + std::to_string(i / kGroup) + ".";
  for (size_t sale = 0; sale < kSales + i % kGroup; ++sale) ledger += Sale(random);
  json body = Question(ledger + "\n\nWho paid the most?");
  body["temperature"] = 1;
  body["max_tokens"] = 2;
  return BatchLine(std::to_string(i), body);
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
  std::vector<double> bytes;  // of the process, after each answer from kFilled to kLines
  json summary;
};

// Lines are there whenever the run wants some, until after the last answer that counts.
Watched Watch(std::vector<std::string> options) {
  const TempFolder folder;
  const std::string summary = folder / "summary.json";
  options.insert(options.begin(),
                 {"batch", "demo", "-i", "-", "-o", "-", "--summary", summary, "--threads", "1"});
  Watched watched;
  ChildProcess run(options);
  std::atomic<bool> enough = false;
  std::thread writer([&] {
    for (size_t i = 0; !enough; ++i) run.Write(Line(i));
    run.CloseInput();
  });
  for (size_t answers = 1; !run.ReadUntil("\n").empty(); ++answers) {
    enough = answers >= kLines;
    if (answers < kFilled || enough) continue;
    watched.bytes.push_back(static_cast<double>(AnonymousBytes(run.pid())));
  }
  enough = true;
  writer.join();
  EXPECT_EQ(run.Wait(), 0);
  watched.summary = json::parse(ReadBytes(summary));
  return watched;
}

TEST(BatchMemoryTest, IsFlatAndAsPlanned) {
  // Of 15 MB that are planned 7 are states of prefixes (100 of them, so that they are all taken
  // early), 4 scratch (few rows a step, so that it is all used at once), 1.5 pages, 0.6 states of
  // requests and the rest the program and lines. The allocator takes and gives back half a MB at a
  // time, so less in all would not be flat.
  const Watched run = Watch({"--memory", "34M", "--ctx", "1024", "--parallel", "8", "--chunk",
                             "192", "--replay", "exact"});
  ASSERT_EQ(run.bytes.size(), kLines - kFilled);
  EXPECT_EQ(run.summary["lines"]["failed"], 0);
  const double level = Median(run.bytes);
  const auto [least, most] = std::minmax_element(run.bytes.begin(), run.bytes.end());
  EXPECT_LT(*most, 1.02 * level);
  EXPECT_GT(*least, 0.98 * level);
  // What is planned for grammars, a share of --memory, these lines leave free.
  constexpr double kForGrammars = 34e6 / 256;
  const double plan = run.summary["plan_bytes"], peak = run.summary["peak_bytes"];
  for (const double bytes : {level, peak, *most}) {
    EXPECT_LT(bytes, 1.03 * plan);
    EXPECT_GT(bytes, 0.97 * (plan - kForGrammars));
  }
}

// A plan so small that what is not counted shows: most of it is scratch, for steps of 500 rows.
TEST(BatchMemoryTest, ASmallPlanIsKeptToo) {
  Random random(1);
  std::string input;
  for (size_t i = 0; i < 400; ++i) {
    std::string ledger = "Ledger " + std::to_string(i) + ".";
    for (size_t sale = 1 + random.Next() % 11; sale > 0; --sale) ledger += Sale(random);
    json body = Question(ledger + "\n\nWho paid the most?");
    body["max_tokens"] = 1 + random.Next() % 29;
    input += BatchLine(std::to_string(i), body);
  }
  const TempFolder folder;
  const BatchRun run =
      RunBatch(input, {"--memory", "12M", "--threads", "1", "--summary", folder / "summary"});
  ASSERT_EQ(run.process.exit_code, 0) << run.process.err;
  const json summary = json::parse(ReadBytes(folder / "summary"));
  EXPECT_LT(summary["peak_bytes"].get<double>(), 1.03 * summary["plan_bytes"].get<double>());
}

// Runs documents of these texts within the memory; the figures of the run.
json AskAboutAll(const std::vector<std::string>& texts, const std::string& memory) {
  const TempFolder folder;
  for (size_t i = 0; i < texts.size(); ++i) folder.Write(std::to_string(i) + ".txt", texts[i]);
  const std::string huge = folder.Write("huge.txt", "");
  std::filesystem::resize_file(huge, 60'000'000);
  const std::string summary = folder / "summary";
  const ProcessResult run =
      RunCedar({"batch", "demo", "--documents", folder / "*.txt", "--prompt", "Who paid the most?",
                "-o", folder / "out", "--memory", memory, "--threads", "1", "--summary", summary,
                "--max-tokens", "2", "--no-think"});
  EXPECT_EQ(run.exit_code, 1) << run.err;
  return json::parse(ReadBytes(summary));
}

// Those that are too long for the plan, or for the context, come amid others that fill it.
TEST(BatchMemoryTest, LongDocumentsStayWithinThePlan) {
  constexpr size_t kLongest = 24'000'000 / 64;
  Random random(1);
  std::vector<std::string> texts;
  for (size_t i = 0; i < 200; ++i) {
    std::string& ledger = texts.emplace_back("Ledger " + std::to_string(i) + ".");
    for (size_t sale = 5 + random.Next() % 20; sale > 0; --sale) ledger += Sale(random);
  }
  std::string words, digits;
  while (words.size() < kLongest) words += Sale(random);
  while (digits.size() < kLongest) digits += std::to_string(random.Next() % 10) + "a";
  for (const std::string& text : {words, digits, std::string(kLongest, 'x')}) {
    texts.push_back(text.substr(0, kLongest));
    texts.push_back(text.substr(0, 20'000));
  }
  const json summary = AskAboutAll(texts, "24M");
  EXPECT_GE(summary["lines"]["done"].get<int>(), 200);
  EXPECT_LT(summary["peak_bytes"].get<double>(), 1.03 * summary["plan_bytes"].get<double>());
}

TEST(BatchMemoryTest, ARunOfFailuresHasFiguresToo) {
  const json summary = AskAboutAll({}, "24M");
  EXPECT_GT(summary["peak_bytes"].get<double>(), 1e5);
  EXPECT_LT(summary["peak_bytes"].get<double>(), summary["plan_bytes"].get<double>());
}

// Integers under names of their own: no two such schemas share their grammar.
json SchemaOfIntegers(size_t number, size_t properties) {
  json schema = {{"type", "object"}, {"additionalProperties", false}};
  for (size_t i = 0; i < properties; ++i) {
    const std::string name = "p" + std::to_string(number) + "_" + std::to_string(i);
    schema["properties"][name] = {{"type", "integer"}};
    schema["required"].push_back(name);
  }
  return schema;
}

std::string LineOfSchema(const std::string& name, const json& schema) {
  return json{{"custom_id", name},
              {"url", "/v1/completions"},
              {"body",
               {{"prompt", "As JSON:"},
                {"max_tokens", 16},
                {"response_format",
                 {{"type", "json_schema"}, {"json_schema", {{"name", "x"}, {"schema", schema}}}}}}}}
             .dump() +
         "\n";
}

// Grammars that are held count: too many of them at once wait, and one that is too large fails.
TEST(BatchMemoryTest, LargeSchemasStayWithinThePlan) {
  constexpr size_t kSchemas = 60;
  std::string input = LineOfSchema("huge", SchemaOfIntegers(kSchemas, 400));
  for (size_t i = 0; i < kSchemas; ++i) {
    input += LineOfSchema(std::to_string(i), SchemaOfIntegers(i, 80));
  }
  const TempFolder folder;
  const BatchRun run =
      RunBatch(input, {"--memory", "24M", "--threads", "1", "--summary", folder / "summary"});
  EXPECT_EQ(run.process.exit_code, 1) << run.process.err;
  const json summary = json::parse(ReadBytes(folder / "summary"));
  EXPECT_EQ(summary["lines"], json({{"done", kSchemas}, {"failed", 1}}));
  EXPECT_LT(summary["peak_bytes"].get<double>(), 1.03 * summary["plan_bytes"].get<double>());
  for (const json& line : run.lines) {
    if (line["custom_id"] != "huge") continue;
    const std::string message = line["error"]["message"];
    EXPECT_NE(message.find("its grammar takes more than"), std::string::npos) << message;
  }
}

}  // namespace
}  // namespace cedar::test
