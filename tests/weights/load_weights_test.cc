#include "weights/load_weights.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "tests/paths.h"
#include "tests/temp_folder.h"
#include "tests/weights/loaded_model.h"
#include "tests/weights/tiny_checkpoint.h"
#include "weights/matrix_bytes.h"
#include "weights/weight_sample.h"

namespace cedar {
namespace {

struct Matrices {
  const WeightMatrix& mapped;
  const WeightMatrix& loaded;
};

// Of every kind one: a layer that has Engram, and one that is a KV source and an index source.
std::vector<Matrices> SomeOf(const ModelWeights& mapped, const ModelWeights& loaded,
                             size_t engram = 1, size_t source = 1) {
  const LayerWeights &m = mapped.layers[engram], &l = loaded.layers[engram];
  const AttentionWeights &ms = mapped.layers[source].attn, &ls = loaded.layers[source].attn;
  return {{mapped.head, loaded.head},
          {m.attn_mix.fn, l.attn_mix.fn},
          {m.attn.wq_b, l.attn.wq_b},
          {m.attn.wo_a.back(), l.attn.wo_a.back()},
          {ms.kv_source->wgate, ls.kv_source->wgate},
          {ms.indexer->wq_b, ls.indexer->wq_b},
          {m.moe.gate, l.moe.gate},
          {m.moe.routed.back().w2, l.moe.routed.back().w2},
          {m.moe.shared.w1, l.moe.shared.w1},
          {m.engram->wkv, l.engram->wkv}};
}

bool Inside(const simd::Memory& memory, const uint8_t* data) {
  return data >= memory.data() && data < memory.data() + memory.bytes();
}

class LoadWeightsTest : public testing::Test {
 protected:
  LoadWeightsTest() { TinyCheckpoint().Write(directory_.path()); }

  ModelWeights Load(const LoadedModel& model, const LoadProgress& progress = {}) {
    return LoadWeights(model.checkpoint, model.config, model.plan, workers_, progress, memory_);
  }

  test::TempFolder directory_;
  simd::Workers workers_{3};
  WeightMemory memory_;
};

TEST_F(LoadWeightsTest, MatricesAreCopiesOfTheMappedOnes) {
  const LoadedModel model(directory_.path());
  const ModelWeights loaded = Load(model);
  for (const auto& [m, l] : SomeOf(model.weights, loaded)) {
    ASSERT_NE(m.data, l.data);
    EXPECT_TRUE(Inside(memory_.nodes.at(0), l.data));
    EXPECT_TRUE(l.parts.empty());
    EXPECT_EQ(m.format, l.format);
    const size_t scales = ScaleRows(m.format, m.rows) * ScaleCols(m.format, m.cols);
    EXPECT_TRUE(std::equal(m.data, m.data + MatrixBytes(m) - scales, l.data));
    ASSERT_EQ(l.scales != nullptr, scales > 0);
    EXPECT_TRUE(std::equal(m.scales, m.scales + scales, l.scales));
  }
}

TEST_F(LoadWeightsTest, WhatIsReadByRowsStaysMapped) {
  const LoadedModel model(directory_.path());
  const ModelWeights loaded = Load(model);
  EXPECT_EQ(loaded.embed.data, model.weights.embed.data);
  EXPECT_EQ(loaded.layers[1].engram->table.data, model.weights.layers[1].engram->table.data);
}

TEST_F(LoadWeightsTest, ProgressEndsWithEverything) {
  const LoadedModel model(directory_.path());
  size_t last = 0, all = 0;
  Load(model, [&](size_t done, size_t total) {
    EXPECT_GT(done, last);
    last = done;
    all = total;
  });
  EXPECT_EQ(last, all);
  EXPECT_GT(all, 0u);
  EXPECT_LE(all, memory_.bytes());
}

// Two thirds of the rows lie in the first node's memory, the others in the second's.
class NodeWeightsTest : public testing::Test {
 protected:
  static void ExpectCopy(const WeightMatrix& from, const MatrixPart& part,
                         const simd::Memory& memory) {
    const WeightMatrix rows = RowsOf(from, part.rows);
    const size_t scales = ScaleBytes(rows);
    EXPECT_TRUE(Inside(memory, part.data));
    EXPECT_TRUE(std::equal(rows.data, rows.data + MatrixBytes(rows) - scales, part.data));
    ASSERT_EQ(part.scales != nullptr, scales > 0);
    EXPECT_TRUE(std::equal(rows.scales, rows.scales + scales, part.scales));
  }

  simd::Workers workers_{std::vector<simd::NodeThreads>{{0, 2}, {1, 1}}};
  LoadedModel model_{GoldenPath("tiny")};
  WeightMemory memory_;
  ModelWeights loaded_ =
      LoadWeights(model_.checkpoint, model_.config, model_.plan, workers_, {}, memory_);
};

TEST_F(NodeWeightsTest, PartsAreCopiesOfTheMappedRows) {
  ASSERT_EQ(memory_.nodes.size(), 2u);
  size_t divided = 0, with_scales = 0;
  for (const auto& [m, l] : SomeOf(model_.weights, loaded_, 3, 2)) {
    if (l.parts.empty()) {
      ExpectCopy(m, PartWith(l, 0), memory_.nodes[0]);
      continue;
    }
    EXPECT_EQ(l.data, nullptr);
    ASSERT_EQ(l.parts.size(), 2u);
    EXPECT_EQ(l.parts[0].rows.begin, 0u);
    EXPECT_EQ(l.parts[0].rows.end, simd::RowsOfNode(m.rows, workers_.nodes(), 0).end);
    EXPECT_EQ(l.parts[1].rows.begin, l.parts[0].rows.end);
    EXPECT_EQ(l.parts[1].rows.end, m.rows);
    for (size_t i = 0; i < 2; ++i) ExpectCopy(m, l.parts[i], memory_.nodes[i]);
    ++divided;
    if (l.parts[1].scales != nullptr) ++with_scales;
  }
  EXPECT_GT(divided, 5u);
  EXPECT_GT(with_scales, 3u);
}

// Kernels that take whole matrices find them so.
TEST_F(NodeWeightsTest, HyperConnectionsAreNotDivided) {
  for (const LayerWeights& layer : loaded_.layers) {
    EXPECT_TRUE(layer.attn_mix.fn.parts.empty());
    EXPECT_TRUE(layer.ffn_mix.fn.parts.empty());
  }
}

TEST_F(NodeWeightsTest, SamplesHoldAllPartsNodeByNode) {
  const auto bytes = [](const ModelWeights& weights) {
    size_t sum = 0;
    for (const auto part : SampleWeights(weights, SIZE_MAX)) sum += part.size();
    return sum;
  };
  EXPECT_EQ(bytes(loaded_), bytes(model_.weights));
  bool second = false;
  for (const auto part : SampleWeights(loaded_, SIZE_MAX)) {
    EXPECT_FALSE(second && Inside(memory_.nodes[0], part.data()));
    second = Inside(memory_.nodes[1], part.data());
  }
  EXPECT_TRUE(second);
}

}  // namespace
}  // namespace cedar
