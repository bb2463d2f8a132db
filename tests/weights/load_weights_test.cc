#include "weights/load_weights.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "tests/temp_folder.h"
#include "tests/weights/loaded_model.h"
#include "tests/weights/tiny_checkpoint.h"
#include "weights/matrix_bytes.h"

namespace cedar {
namespace {

struct Matrices {
  const WeightMatrix& mapped;
  const WeightMatrix& loaded;
};

// Of every kind one, and all that lie in layer 1: it has Engram, an index and a KV source.
std::vector<Matrices> SomeOf(const ModelWeights& mapped, const ModelWeights& loaded) {
  const LayerWeights &m = mapped.layers[1], &l = loaded.layers[1];
  return {{mapped.head, loaded.head},
          {m.attn_mix.fn, l.attn_mix.fn},
          {m.attn.wq_b, l.attn.wq_b},
          {m.attn.wo_a.back(), l.attn.wo_a.back()},
          {m.attn.kv_source->wgate, l.attn.kv_source->wgate},
          {m.attn.indexer->wq_b, l.attn.indexer->wq_b},
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
  simd::Memory memory_;
};

TEST_F(LoadWeightsTest, MatricesAreCopiesOfTheMappedOnes) {
  const LoadedModel model(directory_.path());
  const ModelWeights loaded = Load(model);
  for (const auto& [m, l] : SomeOf(model.weights, loaded)) {
    ASSERT_NE(m.data, l.data);
    EXPECT_TRUE(Inside(memory_, l.data));
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

}  // namespace
}  // namespace cedar
