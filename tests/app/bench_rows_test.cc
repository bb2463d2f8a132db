// Figures of several repetitions become those of a row.

#include "app/bench_rows.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/bench_tables.h"

namespace cedar {
namespace {

// A repetition of so many seconds that read 8 GB and made 16 G operations; what that would take at
// the speed of the probes.
Measured Repetition(double seconds, double read_seconds, double compute_seconds) {
  Measured measured;
  measured.seconds = seconds;
  measured.work = {8e9, 16e9, 0};
  measured.read_seconds = read_seconds;
  measured.compute_seconds = compute_seconds;
  return measured;
}

TEST(BenchRowsTest, EachFigureIsAMedian) {
  BenchRow row{.test = "tg", .n_gen = 4};
  row.Take(4, std::vector<Measured>{Repetition(1, 0.5, 0.1), Repetition(4, 3.6, 1.6),
                                    Repetition(2, 0.5, 0.5)});
  EXPECT_EQ(row.tokens_per_s, 2);  // of 4, 1, 2
  // Their mean is 7/3; the squares of what they are off sum to 14/3, halved 7/3.
  EXPECT_NEAR(row.tokens_per_s_stddev, 1.5275252316519468, 1e-12);
  EXPECT_NEAR(row.weight_gb_per_s, 4, 1e-12);
  EXPECT_NEAR(row.gflops, 8, 1e-12);
  EXPECT_EQ(row.read_share, 0.5);      // of 0.5, 0.9, 0.25
  EXPECT_EQ(row.compute_share, 0.25);  // of 0.1, 0.4, 0.25
}

TEST(BenchRowsTest, OneRepetitionDoesNotVary) {
  BenchRow row{.test = "tg", .n_gen = 4};
  row.Take(4, std::vector<Measured>{Repetition(1, 0.5, 0.1)});
  EXPECT_EQ(row.tokens_per_s_stddev, 0);
}

TEST(BenchRowsTest, TheBoundOfABatchIsItsLargerShare) {
  BenchRow row{.test = "batch", .n_prompt = 10, .n_gen = 5, .parallel = 4};
  row.tokens_per_s = 40;
  row.read_share = 0.25;
  row.compute_share = 0.5;
  row.prompt_seconds = 2;
  const BenchSetup setup{Replay::kBounded, 2, Isa::kAvx2, "reference"};
  const std::string text = BenchText(setup, BenchFormat::kMarkdown).Next(row);
  // 40 prompt tokens in 2 s, 20 generated ones in 0.5 s.
  EXPECT_NE(text.find("\n| 10 | 5 | 4 | 60 | 2.000 | 20.00 | 0.500 | 40.00 | 2.500 | 24.00 | 0.0 | "
                      "0.25 | 0.0 | 0.50 | 0.50 of arithmetic |\n"),
            std::string::npos)
      << text;
}

// The text so far and its end are whole after each row.
TEST(BenchRowsTest, JsonIsValidAfterEachRow) {
  BenchText text({Replay::kBounded, 2, Isa::kAvx2, "reference"}, BenchFormat::kJson);
  std::string so_far;
  EXPECT_EQ(nlohmann::json::parse(so_far + text.End()), nlohmann::json::array());
  for (size_t rows = 1; rows <= 3; ++rows) {
    so_far += text.Next({.test = "pp", .n_prompt = rows});
    const auto json = nlohmann::json::parse(so_far + text.End());
    ASSERT_EQ(json.size(), rows);
    EXPECT_EQ(json[rows - 1]["n_prompt"], rows);
    EXPECT_EQ(json.dump(1).size() + 1, (so_far + text.End()).size());
  }
}

TEST(BenchRowsTest, Pages) {
  EXPECT_EQ(FormatPage(4096), "4 KiB");
  EXPECT_EQ(FormatPage(65536), "64 KiB");
  EXPECT_EQ(FormatPage(size_t{2} << 20), "2 MiB");
}

}  // namespace
}  // namespace cedar
