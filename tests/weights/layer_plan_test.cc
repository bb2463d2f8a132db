#include "weights/layer_plan.h"

#include <gtest/gtest.h>

#include "tests/paths.h"
#include "tests/weights/loaded_model.h"

namespace cedar {
namespace {

TEST(LayerPlan, OfTheRelease) {
  const ModelConfig config = ReadConfig(MappedFile::Map(TestDataPath("released/config.json")));
  const LayerPlan plan = PlanLayers(config);
  ASSERT_EQ(plan.layers.size(), 40u);
  EXPECT_EQ(plan.encoder_layers(), 20);
  EXPECT_EQ(plan.decoder_layers(), 20);
  ASSERT_EQ(plan.kv_sources.size(), 4u);

  // model.md, Shape: the layer itself, its KV source and its index source.
  const struct {
    int first, last, ratio, kv_layer, index_layer;
  } kRows[] = {{0, 1, 0, -1, -1},   {2, 7, 2, 2, 2},     {8, 13, 2, 8, 8},
               {14, 19, 2, 14, 14}, {20, 23, 1, 20, 20}, {24, 27, 1, 20, 24},
               {28, 31, 1, 20, 28}, {32, 35, 1, 20, 32}, {36, 39, 1, 20, 36}};
  for (const auto& row : kRows) {
    for (int i = row.first; i <= row.last; ++i) {
      const PlannedLayer& layer = plan.layers[i];
      EXPECT_EQ(layer.half, i < 20 ? Half::kEncoder : Half::kDecoder) << i;
      EXPECT_EQ(layer.ratio, row.ratio) << i;
      EXPECT_EQ(layer.kv_source < 0 ? -1 : plan.kv_sources[layer.kv_source].layer, row.kv_layer)
          << i;
      EXPECT_EQ(layer.index_source, row.index_layer) << i;
      EXPECT_EQ(layer.is_kv_source, i == row.kv_layer) << i;
      EXPECT_EQ(layer.is_index_source, i == row.index_layer) << i;
      EXPECT_EQ(layer.is_candidate_source, i == 20) << i;
      EXPECT_EQ(layer.uses_candidates, i == 24 || i == 28 || i == 32 || i == 36) << i;
      EXPECT_EQ(layer.engram, i == 1 ? 0 : i == 14 ? 1 : -1) << i;
    }
  }
  EXPECT_EQ(plan.kv_sources[0].ratio, 2);
  EXPECT_EQ(plan.kv_sources[3].ratio, 1);
}

TEST(LayerPlan, WithoutCandidatesNorEngram) {
  const LayerPlan plan = PlanLayers(ReadConfig(MappedFile::Map(GoldenPath("odd/config.json"))));
  EXPECT_EQ(plan.first_decoder_layer, 3);
  for (const PlannedLayer& layer : plan.layers) {
    EXPECT_FALSE(layer.is_candidate_source);
    EXPECT_FALSE(layer.uses_candidates);
    EXPECT_EQ(layer.engram, -1);
  }
  EXPECT_EQ(plan.layers[5].index_source, 5);
  EXPECT_EQ(plan.layers[4].index_source, 3);
}

// A layer that only has a window neither publishes, nor selects, nor reads; those after it do.
TEST(LayerPlan, WindowLayersInBetween) {
  ModelConfig config;
  config.layers = 5;
  config.compress_ratios = {3, 0, 3, 0, 1};
  config.kv_sources = {0, 4};
  config.index_sources = {0, 1, 4};
  const LayerPlan plan = PlanLayers(config);
  EXPECT_FALSE(plan.layers[1].is_index_source);
  EXPECT_EQ(plan.layers[1].kv_source, -1);
  EXPECT_EQ(plan.layers[1].index_source, -1);
  EXPECT_EQ(plan.layers[2].kv_source, 0);
  EXPECT_EQ(plan.layers[2].index_source, 0);
  EXPECT_EQ(plan.layers[3].kv_source, -1);
  EXPECT_EQ(plan.layers[4].kv_source, 1);
}

}  // namespace
}  // namespace cedar
