#include "engine/expert_groups.h"

#include <gtest/gtest.h>

#include <vector>

namespace cedar {
namespace {

TEST(ExpertGroupsTest, TurnsTheChoicesRound) {
  MoeWeights w;
  w.routed.resize(4);
  // Two rows of a prompt, then a generated one.
  const Step step(std::vector<Segment>{{.count = 2, .kind = RowKind::kPrompt},
                                       {.count = 1, .kind = RowKind::kGenerated}});
  const std::vector<int32_t> ids = {3, 1, /**/ 1, 0, /**/ 1, 3};
  const std::vector<float> weights = {.1f, .2f, .3f, .4f, .5f, .6f};
  const ExpertGroups groups(w, ids.data(), weights.data(), 2, step);

  struct Expected {
    size_t row;
    const ExpertWeights* expert;
    const float* weight;
  };
  const std::vector<Expected> slots = {
      {1, &w.routed[0], &weights[3]}, {0, &w.routed[1], &weights[1]},
      {1, &w.routed[1], &weights[2]}, {2, &w.routed[1], &weights[4]},
      {0, &w.routed[3], &weights[0]}, {2, &w.routed[3], &weights[5]},
      {0, &w.shared, nullptr},        {1, &w.shared, nullptr},
      {2, &w.shared, nullptr}};
  ASSERT_EQ(groups.slots().size(), slots.size());
  for (size_t i = 0; i < slots.size(); ++i) {
    EXPECT_EQ(groups.slots()[i].row, slots[i].row) << i;
    EXPECT_EQ(groups.slots()[i].weights, slots[i].expert) << i;
    EXPECT_EQ(groups.slots()[i].weight, slots[i].weight) << i;
  }

  // Neighbours of one expert and one kind: 0 | 1 prompt, 1 generated | 3, 3 | shared, shared.
  const std::vector<size_t> counts = {1, 2, 1, 1, 1, 2, 1};
  ASSERT_EQ(groups.groups().size(), counts.size());
  size_t first = 0;
  for (size_t i = 0; i < counts.size(); ++i) {
    const ExpertGroup& g = groups.groups()[i];
    EXPECT_EQ(g.first, first) << i;
    EXPECT_EQ(g.count, counts[i]) << i;
    EXPECT_EQ(g.kind, groups.slots()[first].kind) << i;
    EXPECT_EQ(g.weights, groups.slots()[first].weights) << i;
    first += g.count;
  }

  // A row's sum goes by ascending expert, whatever was best.
  EXPECT_EQ(groups.slots_per_row(), 3u);
  EXPECT_EQ(std::vector<size_t>(groups.SlotsOfRow(0).begin(), groups.SlotsOfRow(0).end()),
            (std::vector<size_t>{1, 4, 6}));
  EXPECT_EQ(std::vector<size_t>(groups.SlotsOfRow(1).begin(), groups.SlotsOfRow(1).end()),
            (std::vector<size_t>{0, 2, 7}));
  EXPECT_EQ(std::vector<size_t>(groups.SlotsOfRow(2).begin(), groups.SlotsOfRow(2).end()),
            (std::vector<size_t>{3, 5, 8}));
}

}  // namespace
}  // namespace cedar
