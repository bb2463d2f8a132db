#include "weights/model_counts.h"

#include <gtest/gtest.h>

#include "weights/mapped_file.h"

namespace cedar {
namespace {

ModelConfig Load(const std::string& path) {
  const MappedFile file = MappedFile::Map(path);
  return ParseConfig(file.text(), file.path());
}

// The figures that model.md, Cost of one token, gives: as exact as they are printed there.
TEST(ModelCounts, OfTheRelease) {
  const ModelConfig config = Load(CEDAR_TEST_DATA "/released-config.json");
  const ModelCounts counts = CountModel(config, PlanLayers(config));
  const double kGiga = 1e9;
  EXPECT_NEAR(counts.parameters.total / kGiga, 552, 0.5);
  EXPECT_EQ(counts.parameters.engram, (384006168ull + 384016682ull) * 256);
  EXPECT_NEAR(counts.parameters.active_prefill / kGiga, 7.9, 0.1);
  EXPECT_NEAR(counts.parameters.active_decode / kGiga, 16.1, 0.05);
  EXPECT_EQ(counts.bytes.engram, (384006168ull + 384016682ull) * 264);
  EXPECT_NEAR(counts.bytes.decode_token / kGiga, 13.0, 0.05);
  EXPECT_EQ(counts.bytes.kv_per_token, 890);
  EXPECT_EQ(counts.bytes.windows_per_sequence, 40u * 128 * 528);
  // 510 GB in all with the Engram tables, the draft layers and the vision tower.
  EXPECT_NEAR((counts.bytes.weights + counts.bytes.engram) / kGiga, 505, 8);
}

// What is bound and what the config says are the same for a checkpoint as released.
TEST(ModelCounts, OfBoundWeights) {
  for (const std::string shape : {"tiny", "odd"}) {
    const ModelFiles files = ModelFiles::InDirectory(CEDAR_GOLDEN "/" + shape);
    const ModelConfig config = Load(files.PathOf(kConfigFile));
    const LayerPlan plan = PlanLayers(config);
    const Checkpoint checkpoint(files);
    const ModelCounts bound = CountModel(BindWeights(checkpoint, config, plan), config, plan);
    const ModelCounts planned = CountModel(config, plan);
    EXPECT_EQ(bound.parameters.total, planned.parameters.total);
    EXPECT_EQ(bound.parameters.engram, planned.parameters.engram);
    EXPECT_EQ(bound.parameters.active_prefill, planned.parameters.active_prefill);
    EXPECT_EQ(bound.parameters.active_decode, planned.parameters.active_decode);
    EXPECT_EQ(bound.bytes.weights, planned.bytes.weights);
    EXPECT_EQ(bound.bytes.engram, planned.bytes.engram);
    EXPECT_EQ(bound.bytes.decode_token, planned.bytes.decode_token);
  }
}

}  // namespace
}  // namespace cedar
