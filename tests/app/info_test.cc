// cedar info, as a program.

#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "simd/isa.h"
#include "tests/app/model_folder.h"
#include "tests/app/run_process.h"
#include "tests/paths.h"

namespace cedar::test {
namespace {

using nlohmann::ordered_json;

ordered_json InfoJson(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "info");
  arguments.push_back("--json");
  const ProcessResult result = RunCedar(arguments);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  return ordered_json::parse(result.out);
}

std::vector<std::string> Keys(const ordered_json& json) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : json.items()) keys.push_back(key);
  return keys;
}

// A folder that holds the config of the release and nothing else.
std::string ReleasedFolder() { return TestDataPath("released"); }

TEST(InfoTest, JsonHasTheseKeys) {
  const ModelFolder model;
  const ordered_json json = InfoJson({model.path()});
  EXPECT_EQ(Keys(json),
            (std::vector<std::string>{"layers", "encoder_layers", "parameters", "bytes", "isa",
                                      "threads", "memory", "cpu_quota", "fit", "file_cache"}));
  EXPECT_EQ(Keys(json["parameters"]),
            (std::vector<std::string>{"total", "engram", "active_prefill", "active_decode"}));
  EXPECT_EQ(Keys(json["bytes"]),
            (std::vector<std::string>{"weights", "engram", "decode_token", "kv_per_token",
                                      "windows_per_sequence", "plan"}));
}

// The files of a model that was just written are in memory; the demo model lies in no file.
TEST(InfoTest, SaysHowMuchOfTheWeightsIsInMemory) {
  const ModelFolder model;
  const ordered_json cache = InfoJson({model.path()})["file_cache"];
  EXPECT_EQ(cache["bytes"], std::filesystem::file_size(model / "model.safetensors"));
  EXPECT_EQ(cache["present_share"], 1);
  EXPECT_NE(RunCedar({"info", model.path()}).out.find("100 % of "), std::string::npos);
  model.Remove("model.safetensors");
  EXPECT_FALSE(InfoJson({model.path()}).contains("file_cache"));
  EXPECT_FALSE(InfoJson({"demo"}).contains("file_cache"));
}

TEST(InfoTest, TheReleaseFromItsConfigAlone) {
  const ordered_json json = InfoJson({ReleasedFolder()});
  EXPECT_EQ(json["layers"], 40);
  EXPECT_EQ(json["encoder_layers"], 20);
  // model.md, Cost of one token, gives these with two to three digits.
  EXPECT_NEAR(json["parameters"]["total"].get<double>(), 552e9, 1e9);
  EXPECT_NEAR(json["parameters"]["engram"].get<double>(), 197e9, 1e9);
  EXPECT_NEAR(json["parameters"]["active_prefill"].get<double>(), 7.9e9, 0.1e9);
  EXPECT_NEAR(json["parameters"]["active_decode"].get<double>(), 16.1e9, 0.1e9);
  EXPECT_NEAR(json["bytes"]["decode_token"].get<double>(), 13.0e9, 0.1e9);
  // Three KV sources of ratio 2 and one of ratio 1, a row of 288 and a key of 68 bytes each.
  EXPECT_EQ(json["bytes"]["kv_per_token"], 890);
  EXPECT_EQ(json["bytes"]["windows_per_sequence"], 40 * 128 * 528);
  EXPECT_GT(json["bytes"]["plan"].get<double>(), 890.0 * 1048576);
}

TEST(InfoTest, TheReleaseForPeople) {
  const ProcessResult result = RunCedar({"info", ReleasedFolder()});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  for (const char* part :
       {"40 = 20 + 20", "890 B", "2.70 MB", "16.1 B", "2..7", "14..19", "20..39",
        "20, 24, 28, 32, 36", "Engram added before layers 1, 14", "1 x 1048576"}) {
    EXPECT_NE(result.out.find(part), std::string::npos) << part << " is not in:\n" << result.out;
  }
}

TEST(InfoTest, ThePlanGrowsWithContextAndSequences) {
  const auto plan = [](std::vector<std::string> more) {
    more.insert(more.begin(), "demo");
    return InfoJson(more)["bytes"]["plan"].get<size_t>();
  };
  const size_t small = plan({"--ctx", "1024"});
  EXPECT_LT(small, plan({"--ctx", "8192"}));
  EXPECT_EQ(plan({"--ctx", "8192"}), plan({}));  // all that the model holds
  // Scratch is shared: three sequences more cost three times what the first two differ by.
  const size_t two = plan({"--ctx", "1024", "--parallel", "2"});
  EXPECT_EQ(plan({"--ctx", "1024", "--parallel", "5"}) - two, 3 * (two - small));
}

// 299 GB of layers, and a file with nothing in it: no disk can be probed.
TEST(InfoTest, SaysWhetherTheReleaseFits) {
  const ordered_json json = InfoJson({ReleasedFolder(), "--ctx", "4096"});
  const ordered_json& fit = json["fit"];
  EXPECT_EQ(fit["layers"], json["bytes"]["weights"]);
  EXPECT_EQ(fit["needed"], fit["layers"].get<size_t>() + fit["plan"].get<size_t>());
  const size_t available = json["memory"]["available"];
  const std::string text = RunCedar({"info", ReleasedFolder(), "--ctx", "4096"}).out;
  EXPECT_NE(text.find("Does it fit?"), std::string::npos) << text;
  if (available >= fit["needed"]) GTEST_SKIP() << "this machine has room for it";
  EXPECT_EQ(fit["fits"], false);
  // What is missing of the layers, of the 13 GB that a token reads.
  const double missing =
      1 - static_cast<double>(available - fit["plan"].get<size_t>()) / fit["layers"].get<double>();
  EXPECT_NEAR(fit["disk_bytes_per_token"].get<double>(), 13.0e9 * missing, 0.5e9);
  EXPECT_EQ(fit["disk_bytes_per_second"], nullptr);
  for (const char* part : {"does not fit: the layers and the plan need ", "GB would come from disk",
                           "speed unknown: the files are not here"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << " is not in:\n" << text;
  }
}

TEST(InfoTest, TheDemoFits) {
  const ordered_json json = InfoJson({"demo"});
  EXPECT_EQ(json["fit"]["layers"], 0);  // they lie inside the program
  EXPECT_EQ(json["fit"]["fits"], true);
  EXPECT_FALSE(json["fit"].contains("disk_bytes_per_second"));
  EXPECT_GT(json["memory"]["available"].get<size_t>(), 0u);
  EXPECT_EQ(RunCedar({"info", "demo"}).out.find("does not fit"), std::string::npos);
}

TEST(InfoTest, APlanThatDoesNotFitIsNoError) {
  const ProcessResult result = RunCedar({"info", ReleasedFolder(), "--parallel", "1000000"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.out.find("does not fit"), std::string::npos) << result.out;
}

TEST(InfoTest, NamesTheBestIsaOfThisCpu) {
  EXPECT_EQ(InfoJson({"demo"})["isa"], IsaName(AvailableIsas().front()));
}

// Experts that are stored otherwise than FP4 keep the reference numerics.
TEST(InfoTest, SaysWhatInt8Does) {
  const ModelFolder folder;
  const std::string fp4 = RunCedar({"info", folder.path()}).out;
  EXPECT_NE(fp4.find("with --numerics int8"), std::string::npos) << fp4;
  EXPECT_EQ(fp4.find("compute as with reference"), std::string::npos) << fp4;
  folder.EditBytes("config.json", [](std::string& config) {
    config.replace(config.find("\"fp4\""), 5, "\"fp8\"");
  });
  const std::string fp8 = RunCedar({"info", folder.path()}).out;
  EXPECT_NE(fp8.find("experts stored as FP8 compute as with reference"), std::string::npos) << fp8;
}

TEST(InfoTest, MoreContextThanTheModelHoldsIsAUsageError) {
  const ProcessResult result = RunCedar({"info", "demo", "--ctx", "8193"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_NE(result.err.find("--ctx"), std::string::npos) << result.err;
}

}  // namespace
}  // namespace cedar::test
