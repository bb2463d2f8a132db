#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "simd/error.h"
#include "simd/formats.h"
#include "tests/paths.h"
#include "tests/temp_folder.h"
#include "weights/checkpoint.h"
#include "weights/config.h"
#include "weights/engram_hash.h"
#include "weights/engram_token_map.h"
#include "weights/layer_plan.h"
#include "weights/model_files.h"
#include "weights/model_weights.h"
#include "weights/synthetic_checkpoint.h"
#include "weights/synthetic_config.h"
#include "weights/tokenizer.h"

namespace cedar {
namespace {

namespace fs = std::filesystem;

std::string ReadFile(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// The golden "tiny" shape with the tokenizer and the layers of a synthetic model.
SyntheticModel TinyModel(const SyntheticShape& shape) {
  const std::string path = GoldenPath("tiny/config.json");
  return MakeSyntheticModel(ReadFile(path), path, shape);
}

class SyntheticTest : public testing::Test {
 protected:
  std::string Write(const SyntheticModel& model, const std::string& name, uint64_t seed) {
    const std::string directory = (folder_ / name).string();
    WriteSyntheticCheckpoint(directory, model, seed, {});
    return directory;
  }

  const test::TempFolder temporary_;
  const fs::path folder_ = temporary_ / "models";  // does not exist yet
};

// Mean square of an FP4 matrix, decoded.
double MeanSquare(const WeightMatrix& w) {
  double sum = 0;
  for (size_t i = 0; i < w.rows * w.cols; ++i) {
    const uint8_t pair = w.data[i / 2];
    const float scale = DecodeUe8m0(w.scales[i / kScaleBlock]);
    const double x = DecodeE2m1(i % 2 == 0 ? pair & 15 : pair >> 4) * scale;
    sum += x * x;
  }
  return sum / static_cast<double>(w.rows * w.cols);
}

TEST_F(SyntheticTest, LoadsAndHasTheSpreadOfTheRelease) {
  const ModelFiles files =
      ModelFiles::InDirectory(Write(TinyModel({.experts = 7, .layers = 10, .vocab = 300}), "a", 1));
  const ModelConfig config = ParseConfig(files.Open(kConfigFile).text(), "config.json");
  EXPECT_EQ(config.layers, 10);
  EXPECT_EQ(config.experts, 7u);
  const LayerPlan plan = PlanLayers(config);
  EXPECT_EQ(plan.first_decoder_layer, 5);
  const Checkpoint checkpoint(files);
  const ModelWeights weights = BindWeights(checkpoint, config, plan);
  // Deviation gain / sqrt(cols) with gain 1.5; 24,576 values and FP4's rounding leave a few
  // percent.
  const double deviation = std::sqrt(MeanSquare(weights.layers[3].moe.routed[6].w1) * 256);
  EXPECT_NEAR(deviation, 1.5, 0.08);
  const Tokenizer tokenizer(files.Open(kTokenizerFile).text(), "tokenizer.json");
  EXPECT_EQ(tokenizer.size(), 300);
  EXPECT_NO_THROW(EngramHash(config.engram, EngramTokenMap(tokenizer), "tokenizer.json"));
}

TEST_F(SyntheticTest, TokenizerHasEveryByteAndTheControlTokens) {
  const Tokenizer tokenizer(SyntheticTokenizer(400), "tokenizer.json");
  std::string bytes;
  for (int b = 0; b < 256; ++b) bytes += static_cast<char>(b);
  for (const char b : bytes) {
    bool found = false;
    for (int32_t id = 3; id < 259; ++id) found |= tokenizer.TokenBytes(id) == std::string(1, b);
    EXPECT_TRUE(found);
  }
  for (const char* text : {"<｜User｜>", "</think>", "｜DSML｜"}) {
    EXPECT_TRUE(tokenizer.FindControl(text).has_value()) << text;
  }
  EXPECT_THROW(SyntheticTokenizer(200), Error);
}

TEST_F(SyntheticTest, TheSameSeedGivesTheSameBytes) {
  const SyntheticModel model = TinyModel({.vocab = 300});
  const std::string shard = "/model-00001-of-00001.safetensors";
  const std::string a = ReadFile(Write(model, "a", 5) + shard);
  EXPECT_EQ(a, ReadFile(Write(model, "b", 5) + shard));
  EXPECT_NE(a, ReadFile(Write(model, "c", 6) + shard));
}

TEST_F(SyntheticTest, NeverWritesOverAModel) {
  const SyntheticModel model = TinyModel({.vocab = 300});
  Write(model, "a", 1);
  EXPECT_THROW(Write(model, "a", 1), Error);
  EXPECT_THROW(MakeSyntheticModel("{", "x", {}), Error);
  EXPECT_THROW(TinyModel({.layers = 2}), Error);
}

TEST_F(SyntheticTest, SliceIsTheReleaseInWidth) {
  const SyntheticModel model = MakeSyntheticModel(SliceConfig(), "slice", {});
  const ModelConfig config = ParseConfig(model.config, "slice");
  EXPECT_EQ(config.hidden, 5120u);
  EXPECT_EQ(config.experts, 32u);
  EXPECT_EQ(config.compress_ratios, (std::vector<int>{0, 0, 2, 2, 1, 1, 1, 1}));
  EXPECT_EQ(config.kv_sources, (std::vector<int>{2, 4}));
  EXPECT_EQ(config.index_sources, (std::vector<int>{2, 4, 6}));
}

}  // namespace
}  // namespace cedar
