// cedar synth, as a program: what it writes is a model for the other commands.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/app/model_folder.h"
#include "tests/app/run_process.h"
#include "tests/temp_folder.h"

namespace cedar::test {
namespace {

ProcessResult Synth(const std::string& folder, const std::string& config,
                    const std::vector<std::string>& options = {}) {
  std::vector<std::string> arguments = {"synth", folder, "--config", config};
  arguments.insert(arguments.end(), options.begin(), options.end());
  return RunCedar(arguments);
}

TEST(SynthTest, TheResultIsAModel) {
  const ModelFolder demo;
  const TempFolder folder;
  const std::string model = folder / "model";
  const ProcessResult made = Synth(model, demo / "config.json");
  ASSERT_EQ(made.exit_code, 0) << made.err;
  const ProcessResult info = RunCedar({"info", model, "--json"});
  ASSERT_EQ(info.exit_code, 0) << info.err;
  const auto of_demo = nlohmann::json::parse(RunCedar({"info", "demo", "--json"}).out);
  const auto of_model = nlohmann::json::parse(info.out);
  EXPECT_EQ(of_model["parameters"], of_demo["parameters"]);
  const ProcessResult run =
      RunCedar({"run", model, "-p", "Hello", "-n", "3", "--temperature", "0", "--no-think"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
}

TEST(SynthTest, WhatIsNoConfigIsRefused) {
  const TempFolder folder;
  const ProcessResult result = Synth(folder / "model", folder.Write("config.json", "{}"));
  EXPECT_NE(result.exit_code, 0);
  EXPECT_NE(result.err.find("config.json"), std::string::npos) << result.err;
}

}  // namespace
}  // namespace cedar::test
