// cedar score, as a program, on the demo model: the numbers, the files, and what no option but the
// instruction set may change.

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "simd/isa.h"
#include "tests/app/held_out.h"
#include "tests/app/run_process.h"
#include "tests/temp_folder.h"

namespace cedar::test {
namespace {

using nlohmann::ordered_json;

constexpr size_t kVocab = 1024;

ordered_json ScoreJson(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"score", "demo", "--json"});
  const ProcessResult result = RunCedar(arguments);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  return ordered_json::parse(result.out);
}

// The bytes of the file that --logits makes.
std::string Logits(const TempFolder& folder, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"--logits", folder / "logits.safetensors"});
  ScoreJson(arguments);
  return ReadBytes(folder / "logits.safetensors");
}

std::string Numbers(const std::string& safetensors) {
  uint64_t length = 0;
  std::memcpy(&length, safetensors.data(), sizeof(length));
  return safetensors.substr(8 + length);
}

std::string LastRow(const std::string& safetensors) {
  return safetensors.substr(safetensors.size() - kVocab * sizeof(float));
}

TEST(ScoreTest, JsonHasTheseKeysAndTheyAgree) {
  const TempFolder folder;
  const ordered_json json = ScoreJson({"--ids", folder.Write("ids", "0 5 6\n7\t8")});
  std::vector<std::string> keys;
  for (const auto& [key, value] : json.items()) keys.push_back(key);
  EXPECT_EQ(keys,
            (std::vector<std::string>{"tokens", "logprobs", "nll", "perplexity", "replay", "isa"}));
  EXPECT_EQ(json["tokens"], 5);
  ASSERT_EQ(json["logprobs"].size(), 4u);
  double sum = 0;
  for (const double logprob : json["logprobs"]) {
    EXPECT_LT(logprob, 0);
    sum += logprob;
  }
  // Sums of four doubles: equal but for their last bits.
  EXPECT_NEAR(json["nll"].get<double>(), -sum / 4, 1e-12);
  EXPECT_NEAR(json["perplexity"].get<double>(), std::exp(-sum / 4), 1e-9);
  EXPECT_EQ(json["replay"], "full");
  EXPECT_EQ(json["isa"], IsaName(AvailableIsas().front()));
}

TEST(ScoreTest, TextIsEncodedAsTokenizeDoes) {
  const TempFolder folder;
  const std::string text = "<｜User｜>Mr Park of Prague.\n";
  const std::string ids = RunCedar({"tokenize", "demo"}, {.input = text}).out;
  EXPECT_EQ(ScoreJson({"--text", folder.Write("text", text)}),
            ScoreJson({"--ids", folder.Write("ids", ids)}));
}

TEST(ScoreTest, OneTokenHasLogitsButNoLogProbability) {
  const TempFolder folder;
  const ordered_json json = ScoreJson({"--ids", folder.Write("ids", "5")});
  EXPECT_EQ(json["tokens"], 1);
  EXPECT_EQ(json["logprobs"].size(), 0u);
  EXPECT_TRUE(json["perplexity"].is_null());
}

TEST(ScoreTest, LogitsAreOneTensorWithoutMetadata) {
  const TempFolder folder;
  const std::string ids = folder.Write("ids", "0 5 6 7 8");
  const std::string bytes = Logits(folder, {"--ids", ids});
  const std::string header =
      R"({"logits":{"dtype":"F32","shape":[5,1024],"data_offsets":[0,20480]}})";
  EXPECT_EQ(bytes.substr(8, header.size()), header);
  EXPECT_EQ(Numbers(bytes).size(), 5 * kVocab * sizeof(float));
  EXPECT_EQ(bytes, Logits(folder, {"--ids", ids}));
  EXPECT_FALSE(std::filesystem::exists(folder / "logits.safetensors.part"));
}

TEST(ScoreTest, LogProbabilitiesAreThoseOfTheLogits) {
  const TempFolder folder;
  const std::string ids = folder.Write("ids", "0 5 6");
  const std::string numbers = Numbers(Logits(folder, {"--ids", ids}));
  std::vector<float> row(kVocab);
  std::memcpy(row.data(), numbers.data(), kVocab * sizeof(float));
  double sum = 0;
  for (const float logit : row) sum += std::exp(double{logit});
  EXPECT_NEAR(ScoreJson({"--ids", ids})["logprobs"][0].get<double>(), row[5] - std::log(sum), 1e-9);
}

// A number for people, from the same run.
TEST(ScoreTest, TextForPeopleEndsWithThePerplexity) {
  const TempFolder folder;
  const ProcessResult result = RunCedar({"score", "demo", "--ids", folder.Write("ids", "0 5 6")});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out.rfind("1 5 -", 0), 0u) << result.out;
  EXPECT_NE(result.out.find("\nperplexity "), std::string::npos) << result.out;
}

// One held-out question of several windows, for each instruction set.
class ScoreIsaTest : public testing::TestWithParam<Isa> {
 protected:
  void SetUp() override {
    const auto available = AvailableIsas();
    if (std::find(available.begin(), available.end(), GetParam()) == available.end()) {
      GTEST_SKIP() << "this CPU lacks " << IsaName(GetParam());
    }
  }

  std::string Run(const std::string& ids, std::vector<std::string> more) {
    more.insert(more.begin(), {"--isa", std::string(IsaName(GetParam())), "--ids", ids});
    return Logits(folder_, more);
  }

  TempFolder folder_;
};

TEST_P(ScoreIsaTest, NeitherThreadsNorChunksChangeABit) {
  const std::string ids = folder_.Write("ids", Join(LongestHeldOut().ids));
  for (const char* replay : {"full", "exact", "bounded"}) {
    const std::string one = Run(ids, {"--replay", replay, "--threads", "1"});
    EXPECT_EQ(one, Run(ids, {"--replay", replay, "--threads", "2"})) << replay;
    for (const char* chunk : {"1", "7", "64"}) {
      EXPECT_EQ(one, Run(ids, {"--replay", replay, "--threads", "2", "--chunk", chunk}))
          << replay << ", chunk " << chunk;
    }
  }
}

TEST_P(ScoreIsaTest, NeitherThreadsNorChunksChangeABitOfInt8) {
  const std::string ids = folder_.Write("ids", Join(LongestHeldOut().ids));
  const std::string one = Run(ids, {"--numerics", "int8", "--threads", "1"});
  EXPECT_NE(one, Run(ids, {"--threads", "1"}));
  for (const char* chunk : {"1", "7", "64"}) {
    EXPECT_EQ(one, Run(ids, {"--numerics", "int8", "--threads", "2", "--chunk", chunk})) << chunk;
  }
}

TEST_P(ScoreIsaTest, ExactEqualsFull) {
  const std::string ids = folder_.Write("ids", Join(LongestHeldOut().ids));
  EXPECT_EQ(LastRow(Run(ids, {"--replay", "exact"})), LastRow(Run(ids, {"--replay", "full"})));
}

TEST_P(ScoreIsaTest, BoundedWithinOneWindowEqualsFull) {
  std::vector<int> ids = LongestHeldOut().ids;
  ids.resize(32);  // the window of the demo model
  const std::string file = folder_.Write("ids", Join(ids));
  EXPECT_EQ(LastRow(Run(file, {"--replay", "bounded"})), LastRow(Run(file, {"--replay", "full"})));
}

INSTANTIATE_TEST_SUITE_P(All, ScoreIsaTest, testing::ValuesIn(AllIsas()),
                         [](const auto& info) { return std::string(IsaName(info.param)); });

// The perplexity of all held-out text over the oracle's.
double PerplexityRatio(const std::string& numerics) {
  const TempFolder folder;
  double ours = 0;
  double oracle = 0;
  size_t tokens = 0;
  for (const HeldOut& question : ReadHeldOut()) {
    const ordered_json json =
        ScoreJson({"--ids", folder.Write("ids", Join(question.ids)), "--numerics", numerics});
    EXPECT_EQ(json["logprobs"].size(), question.nll.size());
    for (const double logprob : json["logprobs"]) ours -= logprob;
    if (numerics == "int8") {
      oracle += question.nll_int8 * static_cast<double>(question.nll.size());
    } else {
      for (const double nll : question.nll) oracle += nll;
    }
    tokens += question.nll.size();
  }
  EXPECT_EQ(tokens, 11680u);
  testing::Test::RecordProperty("perplexity",
                                std::to_string(std::exp(ours / static_cast<double>(tokens))));
  return std::exp((ours - oracle) / static_cast<double>(tokens));
}

// Within half a per cent.
TEST(ScoreTest, HeldOutPerplexityIsTheOracles) {
  EXPECT_NEAR(PerplexityRatio("reference"), 1, 0.005);
}

TEST(ScoreTest, HeldOutPerplexityWithInt8IsTheOracles) {
  EXPECT_NEAR(PerplexityRatio("int8"), 1, 0.005);
}

}  // namespace
}  // namespace cedar::test
