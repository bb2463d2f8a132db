#include "engine/kv_pages.h"

#include <gtest/gtest.h>

#include <set>

namespace cedar {
namespace {

ModelConfig SmallConfig() {
  ModelConfig c;
  c.head_dim = 64;
  c.index_head_dim = 32;
  return c;
}

LayerPlan PlanOf(std::vector<int> ratios) {
  LayerPlan plan;
  for (const int ratio : ratios) plan.kv_sources.push_back({0, ratio});
  return plan;
}

TEST(KvPagesTest, APageCutsNoGroup) {
  const KvPageLayout layout(SmallConfig(), PlanOf({3, 4, 1}));
  EXPECT_EQ(layout.tokens % 12, 0u);
  size_t end = 0;
  for (const KvPageSource& source : layout.sources) {
    EXPECT_EQ(source.rows * source.ratio, layout.tokens);
    EXPECT_EQ(source.row_bytes, CompressedRowBytes(64));
    EXPECT_EQ(source.key_bytes, IndexKeyBytes(32));
    EXPECT_GE(source.rows_at, end);
    EXPECT_GE(source.keys_at, source.rows_at + source.rows * source.row_bytes);
    end = source.keys_at + source.rows * source.key_bytes;
  }
  EXPECT_GE(layout.bytes, end);
  EXPECT_EQ(layout.PagesFor(0), 0u);
  EXPECT_EQ(layout.PagesFor(1), 1u);
  EXPECT_EQ(layout.PagesFor(layout.tokens), 1u);
  EXPECT_EQ(layout.PagesFor(layout.tokens + 1), 2u);
}

TEST(KvPagesTest, PagesComeBackWhenNobodyHoldsThem) {
  KvPages pages(KvPageLayout(SmallConfig(), PlanOf({1})), 3);
  EXPECT_EQ(pages.capacity(), 3u);
  const size_t a = pages.Take(), b = pages.Take(), c = pages.Take();
  EXPECT_EQ((std::set<size_t>{a, b, c}).size(), 3u);
  EXPECT_EQ(pages.free(), 0u);
  pages.Share(b);
  pages.Release(b);
  EXPECT_EQ(pages.free(), 0u);
  pages.Release(b);
  EXPECT_EQ(pages.free(), 1u);
  EXPECT_EQ(pages.Take(), b);
}

TEST(KvPagesDeathTest, KeepsCount) {
  KvPages pages(KvPageLayout(SmallConfig(), PlanOf({1})), 1);
  EXPECT_DEATH(pages.Release(0), "references_");
  EXPECT_DEATH(pages.Share(0), "references_");
  pages.Take();
  EXPECT_DEATH(pages.Take(), "free_");
}

}  // namespace
}  // namespace cedar
