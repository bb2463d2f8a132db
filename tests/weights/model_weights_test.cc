#include "weights/model_weights.h"

#include <gtest/gtest.h>

#include <cstring>

#include "tests/paths.h"
#include "tests/weights/loaded_model.h"
#include "tests/weights/tiny_checkpoint.h"

namespace cedar {
namespace {

void ExpectMatrix(const WeightMatrix& matrix, Format format, size_t rows, size_t cols,
                  const uint8_t* data, const uint8_t* scales) {
  EXPECT_EQ(matrix.format, format);
  EXPECT_EQ(matrix.rows, rows);
  EXPECT_EQ(matrix.cols, cols);
  EXPECT_EQ(matrix.data, data);
  EXPECT_EQ(matrix.scales, scales);
}

TEST(ModelWeights, GoldenTinyLiesWhereItsTensorsDo) {
  const LoadedModel b(GoldenPath("tiny"));
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
  const LoadedModel b(GoldenPath("tiny"));
  const AttentionWeights& attn = b.weights.layers[0].attn;
  ASSERT_EQ(attn.wo_a.size(), 2u);
  const uint8_t* data = b.DataOf("layers.0.attn.wo_a.weight");
  const uint8_t* scales = b.DataOf("layers.0.attn.wo_a.scale");
  ExpectMatrix(attn.wo_a[0], Format::kFp8, 64, 128, data, scales);
  ExpectMatrix(attn.wo_a[1], Format::kFp8, 64, 128, data + 64 * 128, scales + 2 * 4);
}

TEST(ModelWeights, SmallTensorsAreConverted) {
  const LoadedModel b(GoldenPath("tiny"));
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
  const LoadedModel b(GoldenPath("tiny"));
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

// ---- Other storage than the release's (checkpoint.md, the last paragraphs) ----------------------

class OtherStorage : public testing::Test {
 protected:
  LoadedModel Load() {
    contents_ = checkpoint_.Files();
    return LoadedModel(InMemory(contents_));
  }

  TinyCheckpoint checkpoint_;
  std::map<std::string, std::string> contents_;
};

TEST_F(OtherStorage, ExpertsAsFp8) {
  checkpoint_.Replace("layers.2.ffn.experts.3.w1.weight", "F8_E4M3", {32, 64});
  checkpoint_.Replace("layers.2.ffn.experts.3.w1.scale", "F8_E8M0", {1, 2});
  const LoadedModel model = Load();
  const MoeWeights& moe = model.weights.layers[2].moe;
  ExpectMatrix(moe.routed[3].w1, Format::kFp8, 32, 64,
               model.DataOf("layers.2.ffn.experts.3.w1.weight"),
               model.DataOf("layers.2.ffn.experts.3.w1.scale"));
  EXPECT_EQ(moe.routed[3].w3.format, Format::kFp4);
}

TEST_F(OtherStorage, EveryMatrixAsBf16) {
  for (StoredTensor& tensor : checkpoint_.tensors) {
    const bool pairs = tensor.dtype == "I8";
    if (!pairs && tensor.dtype != "F8_E4M3" && tensor.dtype != "F32") continue;
    std::vector<size_t> shape = tensor.shape;
    if (pairs) shape[1] *= 2;
    checkpoint_.Replace(std::string(tensor.name), "BF16", shape);
  }
  std::erase_if(checkpoint_.tensors, [](const StoredTensor& t) { return t.dtype == "F8_E8M0"; });
  const LoadedModel model = Load();
  const LayerWeights& layer = model.weights.layers[1];
  EXPECT_EQ(layer.attn.wq_a.format, Format::kBf16);
  EXPECT_EQ(layer.attn_mix.fn.format, Format::kBf16);
  EXPECT_EQ(layer.moe.routed[0].w2.format, Format::kBf16);
  EXPECT_EQ(layer.moe.routed[0].w2.scales, nullptr);
  EXPECT_EQ(layer.engram->table.format, Format::kBf16);
  EXPECT_EQ(layer.engram->table.scales, nullptr);
  // Slices of a plain matrix have no scales: 2 groups of 32 rows, 64 columns of 2 bytes.
  ExpectMatrix(layer.attn.wo_a[1], Format::kBf16, 32, 64,
               model.DataOf("layers.1.attn.wo_a.weight") + 32 * 64 * 2, nullptr);
}

TEST_F(OtherStorage, F32InPlaceOfBf16) {
  checkpoint_.Replace("layers.1.attn_norm.weight", "F32", {64});
  checkpoint_.Replace("layers.1.ffn.gate.weight", "F32", {4, 64});
  checkpoint_.Replace("layers.1.attn.compressor.wkv.weight", "F32", {32, 64});
  checkpoint_.Replace("layers.1.attn.wo_a.weight", "F32", {64, 64});
  checkpoint_.Replace("layers.1.engram.k_weight", "F32", {2, 64});
  checkpoint_.Replace("head.weight", "F32", {64, 64});
  const LoadedModel model = Load();
  const LayerWeights& layer = model.weights.layers[1];
  float x;
  std::memcpy(&x, model.DataOf("layers.1.attn_norm.weight") + 60 * sizeof(x), sizeof(x));
  EXPECT_EQ(layer.attn_norm[60], x);
  EXPECT_EQ(layer.moe.gate.format, Format::kF32);
  EXPECT_EQ(layer.attn.kv_source->wkv.format, Format::kF32);
  EXPECT_EQ(model.weights.head.format, Format::kF32);
  ExpectMatrix(layer.attn.wo_a[1], Format::kF32, 32, 64,
               model.DataOf("layers.1.attn.wo_a.weight") + 32 * 64 * 4, nullptr);
}

TEST_F(OtherStorage, Fp4InPlaceOfFp8) {
  checkpoint_.Replace("layers.1.attn.wo_a.weight", "I8", {64, 32});
  checkpoint_.Replace("layers.1.attn.wo_a.scale", "F8_E8M0", {64, 2});
  const LoadedModel model = Load();
  ExpectMatrix(model.weights.layers[1].attn.wo_a[1], Format::kFp4, 32, 64,
               model.DataOf("layers.1.attn.wo_a.weight") + 32 * 32,
               model.DataOf("layers.1.attn.wo_a.scale") + 32 * 2);
}

// Rows of an FP8 matrix may end inside a block: 40 rows have 2 rows of scales.
TEST_F(OtherStorage, RaggedRows) {
  checkpoint_.config["text_config"]["vocab_size"] = 40;
  checkpoint_.Replace("embed.weight", "BF16", {40, 64});
  checkpoint_.Replace("head.weight", "F8_E4M3", {40, 64});
  checkpoint_.tensors.push_back({"head.scale", "F8_E8M0", {2, 2}, std::string(4, 'x')});
  const LoadedModel model = Load();
  ExpectMatrix(model.weights.head, Format::kFp8, 40, 64, model.DataOf("head.weight"),
               model.DataOf("head.scale"));
}

TEST_F(OtherStorage, TensorsThatNobodyNeedsMayBeAnything) {
  checkpoint_.tensors.push_back({"mtp.0.norm.weight", "F16", {3}, std::string(6, 'x')});
  checkpoint_.tensors.push_back({"vision.norm.weight", "F4_NEW", {3}, std::string(2, 'x')});
  checkpoint_.tensors.push_back({"layers.0.ffn.gate.bias_vl", "BOOL", {0, 7}, ""});
  EXPECT_EQ(Load().checkpoint.Find("vision.norm.weight")->dtype, DType::kOther);
}

TEST_F(OtherStorage, OneFileWithoutIndex) {
  const std::map<std::string, std::string> contents = {
      {"config.json", checkpoint_.config.dump()},
      {"model.safetensors", SafetensorsFile(checkpoint_.tensors)}};
  const LoadedModel model{InMemory(contents)};
  EXPECT_EQ(model.checkpoint.size(), checkpoint_.tensors.size());
}

}  // namespace
}  // namespace cedar
