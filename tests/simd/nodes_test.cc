#include "simd/nodes.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "simd/cores.h"
#include "tests/temp_folder.h"

namespace cedar::simd {
namespace {

using Begins = std::vector<size_t>;

std::vector<NodeThreads> Nodes(const std::vector<int>& threads) {
  std::vector<NodeThreads> nodes;
  for (const int n : threads) nodes.push_back({static_cast<int>(nodes.size()), n});
  return nodes;
}

// Where the rows of each node begin, and the end of all; the ranges must be one after the other.
Begins Division(size_t rows, const std::vector<int>& threads) {
  const std::vector<NodeThreads> nodes = Nodes(threads);
  Begins begins = {0};
  for (size_t i = 0; i < nodes.size(); ++i) {
    const Range range = RowsOfNode(rows, nodes, i);
    EXPECT_EQ(range.begin, begins.back());
    begins.push_back(range.end);
  }
  return begins;
}

TEST(NodesTest, RowsAreDividedInProportionToThreads) {
  EXPECT_EQ(Division(2304, {7}), (Begins{0, 2304}));
  EXPECT_EQ(Division(2304, {32, 32}), (Begins{0, 1152, 2304}));
  EXPECT_EQ(Division(2304, {1, 1, 1, 1, 1, 1, 1, 1}),
            (Begins{0, 288, 576, 864, 1152, 1440, 1728, 2016, 2304}));
  EXPECT_EQ(Division(5120, {3, 1}), (Begins{0, 3840, 5120}));
  EXPECT_EQ(Division(129280, {24, 24, 16}), (Begins{0, 48480, 96960, 129280}));
}

TEST(NodesTest, RowsAreDividedBetweenBlocksOf32) {
  EXPECT_EQ(Division(96, {1, 1}), (Begins{0, 64, 96}));
  EXPECT_EQ(Division(100, {1, 1}), (Begins{0, 64, 100}));
  EXPECT_EQ(Division(160, {1, 2}), (Begins{0, 64, 160}));
}

TEST(NodesTest, SmallMatricesAreNotForAll) {
  EXPECT_EQ(Division(0, {1, 1}), (Begins{0, 0, 0}));
  EXPECT_EQ(Division(1, {1, 1}), (Begins{0, 1, 1}));
  EXPECT_EQ(Division(32, {1, 31}), (Begins{0, 32, 32}));
  EXPECT_EQ(Division(40, {1, 1, 1}), (Begins{0, 32, 40, 40}));
}

TEST(NodesTest, AnyRowsAreCovered) {
  for (const std::vector<int>& threads : {std::vector{1, 1}, {2, 3}, {5, 1, 1}, {1, 64, 7, 9}}) {
    for (size_t rows = 0; rows <= 700; ++rows) {
      const Begins begins = Division(rows, threads);
      EXPECT_EQ(begins.back(), rows);
      for (const size_t begin : begins) EXPECT_TRUE(begin % 32 == 0 || begin == rows) << rows;
      EXPECT_EQ(begins[1] > 0, rows > 0) << rows;
    }
  }
}

TEST(NodesTest, NodesOfCpusAsLinuxListsThem) {
  const test::TempFolder folder;
  const auto add = [&](const std::string& node, const std::string& cpus) {
    std::filesystem::create_directory(folder / node);
    test::WriteBytes(folder / node + "/cpulist", cpus);
  };
  add("node0", "0-2,8\n");
  add("node1", "\n");  // memory alone
  add("node12", "3,9-10\n");
  add("nodes", "77\n");
  add("power", "78\n");
  test::WriteBytes(folder / "has_cpu", "0,12\n");
  const std::map<int, int> expected = {{0, 0}, {1, 0}, {2, 0}, {8, 0}, {3, 12}, {9, 12}, {10, 12}};
  EXPECT_EQ(NodesOfCpus(folder.path()), expected);
}

TEST(NodesTest, AMachineThatListsNoNodes) {
  const test::TempFolder folder;
  EXPECT_TRUE(NodesOfCpus(folder / "none").empty());
}

TEST(NodesTest, ThreadsOfCores) {
  const std::vector<Core> cores = {{{0, 4}, 0}, {{1, 5}, 0}, {{2}, 3}};
  EXPECT_EQ(NodesOf(cores), (std::vector<NodeThreads>{{0, 2}, {3, 1}}));
  EXPECT_TRUE(NodesOf({}).empty());
}

TEST(NodesTest, CoresOfANodeAreNeighbours) {
  std::map<int, int> runs;
  for (const NodeThreads& node : NodesOf(AllowedCores())) ++runs[node.node];
  for (const auto& [node, count] : runs) EXPECT_EQ(count, 1) << "node " << node;
}

}  // namespace
}  // namespace cedar::simd
