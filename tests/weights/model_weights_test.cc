#include "weights/model_weights.h"

#include <gtest/gtest.h>

#include <cstring>

#include "weights/model_files.h"

namespace cedar {
namespace {

struct Bound {
  explicit Bound(const std::string& folder)
      : files(ModelFiles::InDirectory(folder)),
        checkpoint(files),
        config(ParseConfig(files.Open(kConfigFile).text(), folder)),
        weights(BindWeights(checkpoint, config, PlanLayers(config))) {}

  const uint8_t* DataOf(const std::string& name) const {
    return checkpoint.Find(name)->bytes.data();
  }

  ModelFiles files;
  Checkpoint checkpoint;
  ModelConfig config;
  ModelWeights weights;
};

void ExpectMatrix(const WeightMatrix& matrix, Format format, size_t rows, size_t cols,
                  const uint8_t* data, const uint8_t* scales) {
  EXPECT_EQ(matrix.format, format);
  EXPECT_EQ(matrix.rows, rows);
  EXPECT_EQ(matrix.cols, cols);
  EXPECT_EQ(matrix.data, data);
  EXPECT_EQ(matrix.scales, scales);
}

TEST(ModelWeights, GoldenTinyLiesWhereItsTensorsDo) {
  const Bound b(CEDAR_GOLDEN "/tiny");
  ASSERT_EQ(b.weights.layers.size(), 8u);
  ExpectMatrix(b.weights.embed, Format::kBf16, 512, 256, b.DataOf("embed.weight"), nullptr);
  ExpectMatrix(b.weights.head, Format::kBf16, 512, 256, b.DataOf("head.weight"), nullptr);
  const LayerWeights& layer = b.weights.layers[2];
  ExpectMatrix(layer.attn_mix.fn, Format::kF32, 24, 1024, b.DataOf("layers.2.hc_attn_fn"), nullptr);
  ExpectMatrix(layer.attn.wq_b, Format::kFp8, 256, 64, b.DataOf("layers.2.attn.wq_b.weight"),
               b.DataOf("layers.2.attn.wq_b.scale"));
  ExpectMatrix(layer.attn.kv_source->wgate, Format::kBf16, 64, 256,
               b.DataOf("layers.2.attn.compressor.wgate.weight"), nullptr);
  ExpectMatrix(layer.attn.indexer->wq_b, Format::kFp8, 128, 64,
               b.DataOf("layers.2.attn.indexer.wq_b.weight"),
               b.DataOf("layers.2.attn.indexer.wq_b.scale"));
  ASSERT_EQ(layer.moe.routed.size(), 16u);
  ExpectMatrix(layer.moe.routed[7].w2, Format::kFp4, 256, 96,
               b.DataOf("layers.2.ffn.experts.7.w2.weight"),
               b.DataOf("layers.2.ffn.experts.7.w2.scale"));
  ExpectMatrix(layer.moe.shared.w1, Format::kFp8, 96, 256,
               b.DataOf("layers.2.ffn.shared_experts.w1.weight"),
               b.DataOf("layers.2.ffn.shared_experts.w1.scale"));
  EXPECT_EQ(b.weights.layers[4].attn.kv_source->wgate.data, nullptr);  // ratio 1
  EXPECT_FALSE(b.weights.layers[3].attn.kv_source);
  EXPECT_FALSE(b.weights.layers[3].attn.indexer);
  EXPECT_TRUE(b.weights.layers[3].engram);
  EXPECT_FALSE(b.weights.layers[2].engram);
}

// wo_a is one tensor of o_groups * o_rank rows; its blocks of scales are cut with it.
TEST(ModelWeights, OutputGroupsAreSlices) {
  const Bound b(CEDAR_GOLDEN "/tiny");
  const AttentionWeights& attn = b.weights.layers[0].attn;
  ASSERT_EQ(attn.wo_a.size(), 2u);
  const uint8_t* data = b.DataOf("layers.0.attn.wo_a.weight");
  const uint8_t* scales = b.DataOf("layers.0.attn.wo_a.scale");
  ExpectMatrix(attn.wo_a[0], Format::kFp8, 64, 128, data, scales);
  ExpectMatrix(attn.wo_a[1], Format::kFp8, 64, 128, data + 64 * 128, scales + 2 * 4);
}

TEST(ModelWeights, SmallTensorsAreConverted) {
  const Bound b(CEDAR_GOLDEN "/tiny");
  const LayerWeights& layer = b.weights.layers[1];
  ASSERT_EQ(layer.attn.sink.size(), 4u);
  float sink;
  std::memcpy(&sink, b.DataOf("layers.1.attn.attn_sink") + 2 * sizeof(sink), sizeof(sink));
  EXPECT_EQ(layer.attn.sink[2], sink);
  Bf16 norm;
  std::memcpy(&norm, b.DataOf("layers.1.attn_norm.weight") + 200 * sizeof(norm), sizeof(norm));
  EXPECT_EQ(layer.attn_norm[200], ToFloat(norm));
}

TEST(ModelWeights, EngramOfGoldenTiny) {
  const Bound b(CEDAR_GOLDEN "/tiny");
  const EngramWeights& engram = *b.weights.layers[1].engram;
  EXPECT_EQ(engram.table.format, Format::kFp8);
  EXPECT_EQ(engram.table.rows, b.config.engram.table_rows[0]);
  EXPECT_EQ(engram.table.head_dim, 32u);
  EXPECT_EQ(engram.table.data, b.DataOf("layers.1.engram.embed.weight"));
  EXPECT_EQ(engram.table.scales, b.DataOf("layers.1.engram.embed.scale"));
  EXPECT_EQ(engram.wkv.rows, 5u * 256);
  EXPECT_EQ(engram.wkv.cols, 6u * 32);
  ASSERT_EQ(engram.qk_weight.size(), 4u * 256);
  Bf16 q, k;
  std::memcpy(&q, b.DataOf("layers.1.engram.q_weight") + 700 * sizeof(q), sizeof(q));
  std::memcpy(&k, b.DataOf("layers.1.engram.k_weight") + 700 * sizeof(k), sizeof(k));
  EXPECT_EQ(engram.qk_weight[700], double{ToFloat(q)} * ToFloat(k));
}

}  // namespace
}  // namespace cedar
