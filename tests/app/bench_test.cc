// cedar bench, as a program: what it prints, not how fast it is. A busy machine may slow down a
// probe or a run a hundredfold, so figures are checked for consistency and for orders of magnitude.

#include <gtest/gtest.h>
#include <signal.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "simd/isa.h"
#include "tests/app/run_process.h"

namespace cedar::test {
namespace {

using nlohmann::ordered_json;
using Lines = std::vector<std::string>;

const Lines kKeys{"test",
                  "n_prompt",
                  "n_gen",
                  "parallel",
                  "depth",
                  "replay",
                  "threads",
                  "isa",
                  "numerics",
                  "tokens_per_s",
                  "tokens_per_s_stddev",
                  "weight_gb_per_s",
                  "read_share",
                  "gflops",
                  "compute_share",
                  "page_size"};

Lines KeysOf(const ordered_json& json) {
  Lines keys;
  for (const auto& [key, value] : json.items()) keys.push_back(key);
  return keys;
}

std::string Bench(const Lines& arguments) {
  Lines all{"bench"};
  all.insert(all.end(), arguments.begin(), arguments.end());
  const ProcessResult result = RunCedar(all);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  return result.out;
}

Lines LinesOf(const std::string& text) {
  std::istringstream stream(text);
  Lines lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

void ExpectPlausible(const ordered_json& row) {
  EXPECT_EQ(KeysOf(row), kKeys);
  EXPECT_EQ(row["isa"], IsaName(AvailableIsas().front()));
  for (const char* share : {"read_share", "compute_share"}) {
    EXPECT_GT(row[share].get<double>(), 1e-6) << row;
    EXPECT_LT(row[share].get<double>(), 100) << row;
  }
  EXPECT_GT(row["tokens_per_s"].get<double>(), 0);
  EXPECT_GE(row["tokens_per_s_stddev"].get<double>(), 0);
  EXPECT_GE(row["page_size"].get<size_t>(), 4096u);
}

ordered_json RunInfo() { return ordered_json::parse(RunCedar({"info", "demo", "--json"}).out); }

TEST(BenchTest, JsonHasARowForEachTest) {
  const ordered_json rows = ordered_json::parse(
      Bench({"demo", "-p", "8,20", "-n", "18", "--parallel", "1,5", "--depth", "0,30", "-r", "2",
             "--threads", "1", "--replay", "exact", "-o", "json"}));
  Lines tests;
  for (const ordered_json& row : rows) {
    ExpectPlausible(row);
    EXPECT_EQ(row["replay"], "exact");
    EXPECT_EQ(row["threads"], 1);
    tests.push_back(row["test"].get<std::string>() + " " + row["n_prompt"].dump() + " " +
                    row["n_gen"].dump() + " " + row["parallel"].dump() + " " + row["depth"].dump());
  }
  EXPECT_EQ(tests, (Lines{"pp 8 0 1 0", "pp 20 0 1 0", "tg 0 18 1 0", "pp 8 0 1 30", "pp 20 0 1 30",
                          "tg 0 18 1 30", "batch 8 18 1 0", "batch 8 18 5 0", "batch 20 18 1 0",
                          "batch 20 18 5 0"}));
}

// Medians of two values are one of the two, so speed and traffic may come from different
// repetitions: with one there is no doubt.
TEST(BenchTest, AGeneratedTokenReadsWhatInfoSays) {
  const ordered_json rows =
      ordered_json::parse(Bench({"demo", "-p", "0", "-n", "4", "-r", "1", "-o", "json"}));
  ASSERT_EQ(rows.size(), 1u);
  const ordered_json info = RunInfo();
  const double bytes =
      rows[0]["weight_gb_per_s"].get<double>() * 1e9 / rows[0]["tokens_per_s"].get<double>();
  const double operations =
      rows[0]["gflops"].get<double>() * 1e9 / rows[0]["tokens_per_s"].get<double>();
  // Info counts the token's embedding and Engram rows too, about a hundredth of this small model.
  const double of_info = info["bytes"]["decode_token"].get<double>();
  EXPECT_LE(bytes, of_info);
  EXPECT_NEAR(bytes, of_info, 0.02 * of_info);
  // Two for each parameter, and attention to the few rows that there are.
  const double parameters = info["parameters"]["active_decode"].get<double>();
  EXPECT_NEAR(operations, 2 * parameters, 0.1 * parameters);
}

// The rows of a step share what they read: eight requests read less than eight times as much.
TEST(BenchTest, ABatchSharesItsWeights) {
  const ordered_json rows = ordered_json::parse(
      Bench({"demo", "-p", "0", "-n", "4", "--parallel", "1,8", "-r", "1", "-o", "json"}));
  ASSERT_EQ(rows.size(), 3u);
  const auto per_token = [](const ordered_json& row, const char* figure) {
    return row[figure].get<double>() / row["tokens_per_s"].get<double>();
  };
  EXPECT_EQ(rows[1]["n_prompt"], 64);
  EXPECT_LT(per_token(rows[2], "weight_gb_per_s"), 0.6 * per_token(rows[1], "weight_gb_per_s"));
  EXPECT_NEAR(per_token(rows[2], "gflops"), per_token(rows[1], "gflops"),
              0.1 * per_token(rows[1], "gflops"));
}

TEST(BenchTest, CsvHasTheSameColumns) {
  const Lines lines = LinesOf(Bench({"demo", "-p", "8", "-n", "2", "-r", "1", "-o", "csv"}));
  ASSERT_EQ(lines.size(), 3u);
  std::string header;
  for (const std::string& key : kKeys) header += (header.empty() ? "" : ",") + key;
  EXPECT_EQ(lines[0], header);
  EXPECT_EQ(lines[1].rfind("pp,8,0,1,0,bounded,", 0), 0u) << lines[1];
  EXPECT_EQ(lines[2].rfind("tg,0,2,1,0,bounded,", 0), 0u) << lines[2];
}

TEST(BenchTest, MarkdownHasTwoTables) {
  const Lines lines =
      LinesOf(Bench({"demo", "-p", "8", "-n", "2", "-r", "1", "--depth", "16", "--parallel", "3"}));
  ASSERT_EQ(lines.size(), 8u);
  EXPECT_EQ(lines[0],
            "| test | replay | threads | isa | numerics | page | tokens/s | weights GB/s | of read "
            "| GFLOP/s | of peak |");
  EXPECT_EQ(lines[1], "|---|---|---|---|---|---|---|---|---|---|---|");
  EXPECT_EQ(lines[2].rfind("| pp8 @ d16 | bounded | ", 0), 0u) << lines[2];
  EXPECT_EQ(lines[3].rfind("| tg2 @ d16 | bounded | ", 0), 0u) << lines[3];
  EXPECT_EQ(lines[4], "");
  EXPECT_EQ(lines[5].rfind("| PP | TG | B | N_KV | T_PP s | S_PP t/s | T_TG s | S_TG t/s | T s | "
                           "S t/s |",
                           0),
            0u)
      << lines[5];
  EXPECT_EQ(lines[7].rfind("| 8 | 2 | 3 | 30 | ", 0), 0u) << lines[7];
}

// The first row comes long before the second one, which takes seconds.
TEST(BenchTest, RowsThatWereMeasuredBeforeAnInterruptStay) {
  for (const char* format : {"md", "csv", "json"}) {
    const ProcessResult result =
        RunCedar({"bench", "demo", "-p", "2,2000", "-n", "0", "-r", "1", "--depth", "0", "--isa",
                  "reference", "--threads", "1", "-o", format},
                 {.signal_after_output = SIGINT});
    EXPECT_EQ(result.exit_code, 130) << result.err;
    if (format == std::string("json")) {
      EXPECT_EQ(ordered_json::parse(result.out).size(), 1u) << result.out;
    } else {
      EXPECT_EQ(LinesOf(result.out).size(), format == std::string("md") ? 3u : 2u) << result.out;
    }
  }
}

TEST(BenchTest, TheReferenceIsaIsMeasuredBesideTheBestProbes) {
  const ordered_json rows = ordered_json::parse(
      Bench({"demo", "-p", "2", "-n", "0", "-r", "1", "--isa", "reference", "-o", "json"}));
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0]["isa"], "reference");
  EXPECT_GT(rows[0]["compute_share"].get<double>(), 0);
}

TEST(BenchTest, TheMachineAlone) {
  const ordered_json rows =
      ordered_json::parse(Bench({"--machine", "-r", "1", "--threads", "2", "-o", "json"}));
  ASSERT_EQ(rows.size(), 2u);
  for (const ordered_json& row : rows) {
    EXPECT_EQ(KeysOf(row), (Lines{"threads", "isa", "page_size", "read_gb_per_s", "fp32_fma_gflops",
                                  "bf16_dot_gflops", "int8_dot_gops"}));
    // Any CPU with vector instructions makes more than this, and none that exists a thousandfold.
    EXPECT_GT(row["read_gb_per_s"].get<double>(), 0.05);
    EXPECT_LT(row["read_gb_per_s"].get<double>(), 5000);
    EXPECT_GT(row["fp32_fma_gflops"].get<double>(), 0.5);
    EXPECT_LT(row["fp32_fma_gflops"].get<double>(), 50000);
  }
  EXPECT_EQ(rows[0]["threads"], 1);
  EXPECT_EQ(rows[1]["threads"], 2);
  const Lines lines = LinesOf(Bench({"--machine", "-r", "1", "--threads", "1"}));
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[0].rfind("| threads | isa | page | read GB/s | fp32 FMA GFLOP/s |", 0), 0u);
}

TEST(BenchTest, BadOptionsAreNamed) {
  const std::vector<std::pair<Lines, std::string>> kBad{
      {{"bench"}, "MODEL"},
      {{"bench", "demo", "--machine"}, "--machine"},
      {{"bench", "--machine", "-p", "8"}, "--machine"},
      {{"bench", "demo", "-p", "8,"}, "-p"},
      {{"bench", "demo", "-p", ""}, "-p"},
      {{"bench", "demo", "-p", "8,x"}, "-p"},
      {{"bench", "demo", "-n", "1,2"}, "-n"},
      {{"bench", "demo", "-n", "0", "--parallel", "2"}, "-n"},
      {{"bench", "demo", "-p", "0", "-n", "0"}, "-p 0"},
      {{"bench", "demo", "--parallel", "0"}, "--parallel"},
      {{"bench", "demo", "--depth", "-1"}, "--depth"},
      {{"bench", "demo", "-r", "0"}, "-r"},
      {{"bench", "demo", "-o", "xml"}, "-o"},
      {{"bench", "demo", "-p", "8192", "-n", "0", "--depth", "1"}, "8193"},
  };
  for (const auto& [arguments, named] : kBad) {
    const ProcessResult result = RunCedar(arguments);
    EXPECT_EQ(result.exit_code, 2) << named << ": " << result.err;
    EXPECT_NE(result.err.find(named), std::string::npos) << result.err;
    EXPECT_EQ(result.out, "");
  }
}

}  // namespace
}  // namespace cedar::test
