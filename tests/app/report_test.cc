#include "app/report.h"

#include <gtest/gtest.h>

#include "app/progress.h"

namespace cedar {
namespace {

TEST(ReportTest, FiguresOfARun) {
  RunFigures figures;
  figures.Add({.prompt_tokens = 100,
               .generated_tokens = 11,
               .prefill_seconds = 0.5,
               .first_token_seconds = 0.5,
               .decode_seconds = 0.5});
  figures.Add({.prompt_tokens = 300,
               .generated_tokens = 1,
               .prefill_seconds = 1.5,
               .first_token_seconds = 1.5,
               .decode_seconds = 0});
  const std::string text = figures.Text(2703360);
  EXPECT_NE(text.find("tokens in:  400, prefill 2.000 s (200.0 tokens/s)"), std::string::npos)
      << text;
  // The first token of an answer costs no decode step.
  EXPECT_NE(text.find("tokens out: 12, decode 0.500 s (20.0 tokens/s)"), std::string::npos) << text;
  EXPECT_NE(text.find("time to first token: 1.500 s (median of 2)"), std::string::npos) << text;
  EXPECT_NE(text.find("memory: 2.70 MB planned"), std::string::npos) << text;
}

TEST(ReportTest, FiguresOfNothing) {
  const std::string text = RunFigures().Text(0);
  EXPECT_NE(text.find("tokens in:  0"), std::string::npos) << text;
  EXPECT_EQ(text.find("nan"), std::string::npos) << text;
}

TEST(ProgressTest, ABarItsNumbersAndTheTimeLeft) {
  EXPECT_EQ(ProgressText("prefill", "tokens", 512, 1024, 3),
            "prefill [###############---------------] 512/1024 tokens, 3 s left");
  EXPECT_EQ(ProgressText("batch", "requests", 0, 3, 0),
            "batch [------------------------------] 0/3 requests");
  EXPECT_EQ(ProgressText("batch", "requests", 3, 3, 9),
            "batch [##############################] 3/3 requests");
}

}  // namespace
}  // namespace cedar
