// cedar verify, as a program. What it finds: tests/weights/verify_test.cc.

#include <gtest/gtest.h>

#include <string>

#include "tests/app/model_folder.h"
#include "tests/app/run_process.h"

namespace cedar::test {
namespace {

TEST(VerifyCommandTest, SaysWhatItLookedAt) {
  const ProcessResult result = RunCedar({"verify", "demo"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.out.find("tensors: "), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("none known of model.safetensors"), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("verdict: no damage"), std::string::npos) << result.out;
}

TEST(VerifyCommandTest, DamageEndsWith3) {
  const ModelFolder model;
  const std::string sums = model / "sums";
  const std::string zeros(64, '0');
  WriteBytes(sums, zeros + "  model.safetensors\n");
  const ProcessResult result = RunCedar({"verify", model.path(), "--sums", sums, "--threads", "1"});
  EXPECT_EQ(result.exit_code, 3) << result.out;
  EXPECT_NE(result.out.find("model.safetensors: SHA-256: found "), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("expected " + zeros), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("verdict: 1 damage\n"), std::string::npos) << result.out;
}

TEST(VerifyCommandTest, TheTokenizerBelongsToTheModel) {
  const ModelFolder model;
  model.Remove("tokenizer.json");
  const ProcessResult result = RunCedar({"verify", model.path()});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_NE(result.out.find("tokenizer.json: No such file"), std::string::npos) << result.out;
}

TEST(VerifyCommandTest, WhatIsNotThere) {
  EXPECT_EQ(RunCedar({"verify", "/no/such/folder"}).exit_code, 3);
  EXPECT_EQ(RunCedar({"verify", "demo", "--sums", "/no/such/file"}).exit_code, 1);
  EXPECT_EQ(RunCedar({"verify"}).exit_code, 2);
}

}  // namespace
}  // namespace cedar::test
