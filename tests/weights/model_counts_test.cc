#include "weights/model_counts.h"

#include <gtest/gtest.h>

#include "tests/paths.h"
#include "tests/weights/loaded_model.h"

namespace cedar {
namespace {

// The figures that model.md, Cost of one token, gives: as exact as they are printed there.
TEST(ModelCounts, OfTheRelease) {
  const ModelConfig config = ReadConfig(MappedFile::Map(TestDataPath("released/config.json")));
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

// Every parameter of the text model is counted once: here by adding up the tensors in the files.
TEST(ModelCounts, AreThoseOfTheFiles) {
  for (const std::string shape : {"tiny", "odd"}) {
    uint64_t total = 0;
    uint64_t engram = 0;
    for (const std::string shard : {kFirstShard, kSecondShard}) {
      const MappedFile file = MappedFile::Map(GoldenPath(shape + "/" + shard));
      for (const Tensor& tensor : ReadSafetensors(file.bytes(), file.path())) {
        if (tensor.name.ends_with(".scale")) continue;
        uint64_t elements = tensor.dtype == DType::kI8 ? 2 : 1;  // pairs
        for (const size_t n : tensor.shape) elements *= n;
        (tensor.name.find("engram.embed") == std::string::npos ? total : engram) += elements;
      }
    }
    const LoadedModel model(GoldenPath(shape));
    const ModelCounts counts = CountModel(model.weights, model.config, model.plan);
    EXPECT_EQ(counts.parameters.total, total);
    EXPECT_EQ(counts.parameters.engram, engram);
  }
}

// For a checkpoint stored as released, what is bound and what the config says are the same.
TEST(ModelCounts, OfTheConfigAlone) {
  const LoadedModel model(GoldenPath("tiny"));
  const ModelCounts bound = CountModel(model.weights, model.config, model.plan);
  const ModelCounts planned = CountModel(model.config, model.plan);
  EXPECT_EQ(bound.parameters.total, planned.parameters.total);
  EXPECT_EQ(bound.parameters.engram, planned.parameters.engram);
  EXPECT_EQ(bound.parameters.active_prefill, planned.parameters.active_prefill);
  EXPECT_EQ(bound.parameters.active_decode, planned.parameters.active_decode);
  EXPECT_EQ(bound.bytes.weights, planned.bytes.weights);
  EXPECT_EQ(bound.bytes.engram, planned.bytes.engram);
  EXPECT_EQ(bound.bytes.decode_token, planned.bytes.decode_token);
}

}  // namespace
}  // namespace cedar
