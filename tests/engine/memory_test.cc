// The memory plan: what the release needs, that it is what is taken, and that a plan which does not
// fit is refused.

#include <gtest/gtest.h>
#include <malloc.h>
#include <unistd.h>

#include <fstream>
#include <string>

#include "engine/engine.h"
#include "engine/memory_plan.h"
#include "engine/model.h"
#include "simd/error.h"
#include "tests/engine/golden_checkpoint.h"
#include "tests/paths.h"
#include "weights/mapped_file.h"

namespace cedar {
namespace {

constexpr size_t kMegabyte = 1 << 20;

std::string ReadFile(const std::string& path) {
  const MappedFile file = MappedFile::Map(path);
  return std::string(file.text());
}

ModelConfig ReleasedConfig() {
  const std::string path = TestDataPath("released/config.json");
  return ParseConfig(ReadFile(path), path);
}

TEST(MemoryTest, RowsOfTheRelease) {
  const ModelConfig c = ReleasedConfig();
  EXPECT_EQ(WindowRowBytes(c.head_dim), 528u);
  EXPECT_EQ(CompressedRowBytes(c.head_dim), 288u);
  EXPECT_EQ(IndexKeyBytes(c.index_head_dim), 68u);
}

TEST(MemoryTest, SequencesOfTheRelease) {
  const ModelConfig c = ReleasedConfig();
  const LayerPlan plan = PlanLayers(c);
  const size_t context = 1 << 20;
  const MemoryPlan one = PlanMemory(c, plan, {.context = context});
  EXPECT_EQ(one.windows, 40u * 128 * 528);  // 2.7 MB
  EXPECT_EQ(one.global_kv, 890 * context);
  EXPECT_EQ(one.history, 4 * context);
  // Three sources of ratio 2 keep one token's two fp32 projections, and bounded replay the outputs
  // of one window: 4 streams of bf16, 4 mixes of fp32.
  EXPECT_EQ(one.pending, 3u * 2 * 512 * 4 + 128 * (4 * 5120 * 2 + 4 * 4));
  EXPECT_EQ(one.total, one.sequence() + one.scratch);

  const MemoryPlan many = PlanMemory(c, plan, {.context = context, .parallel = 7});
  EXPECT_EQ(many.sequence(), one.sequence());
  EXPECT_EQ(many.total, 7 * one.sequence() + many.scratch);
}

// What is shared by all sequences holds a chunk of rows and the best scores so far: 128k tokens
// need as much of it as 4k.
TEST(MemoryTest, ScratchDoesNotGrowWithTheContext) {
  const ModelConfig c = ReleasedConfig();
  const LayerPlan plan = PlanLayers(c);
  for (const Replay replay : {Replay::kBounded, Replay::kExact, Replay::kFull}) {
    const auto scratch = [&](size_t context) {
      return PlanMemory(c, plan, {.context = context, .replay = replay, .threads = 2}).scratch;
    };
    EXPECT_EQ(scratch(4 << 10), scratch(128 << 10));
  }
}

TEST(MemoryTest, ReachOfAReplay) {
  const ModelConfig c = ReleasedConfig();
  const LayerPlan plan = PlanLayers(c);
  EXPECT_EQ(ReplayReach(c, plan, Replay::kFull), 0u);
  EXPECT_EQ(ReplayReach(c, plan, Replay::kBounded), 128u);
  EXPECT_EQ(ReplayReach(c, plan, Replay::kExact), 128u + 19 * 127);
}

// Bytes of address space that this process has taken.
size_t AddressSpace() {
  size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * static_cast<size_t>(sysconf(_SC_PAGESIZE));
}

// Those of every node are counted.
TEST(MemoryTest, PagesOfLoadedWeights) {
  const Engine engine = GoldenCheckpoint("tiny").MakeEngine({.isa = Isa::kReference,
                                                             .weights = WeightPlace::kHugePages,
                                                             .nodes = {{0, 1}, {1, 1}, {2, 1}}});
  size_t bytes = 0;
  for (const simd::Memory& node : engine.model().weight_memory.nodes) {
    EXPECT_GT(node.bytes(), 0u);
    bytes += node.bytes();
  }
  EXPECT_EQ(engine.loaded_weight_bytes(), bytes);
  const auto pages = engine.WeightPages();
  ASSERT_TRUE(pages);
  EXPECT_GE(pages->bytes, bytes);
}

// All of a session lies in three blocks, each of which may lose 2 MB to its alignment. A thread
// that starts late would otherwise get its heap, 64 MB of address space, while a session is made.
TEST(MemoryTest, ASessionTakesWhatWasPlanned) {
  mallopt(M_ARENA_MAX, 1);  // other allocators have no such heaps
  const Engine engine = GoldenCheckpoint("tiny").MakeEngine(Isa::kReference, 2);
  for (const Replay replay : {Replay::kBounded, Replay::kExact, Replay::kFull}) {
    const size_t planned =
        PlanMemory(engine.config(), engine.plan(),
                   {.context = 4096, .chunk = 2560, .replay = replay, .threads = 2})
            .total;
    ASSERT_GT(planned, 40 * kMegabyte);
    const size_t before = AddressSpace();
    const Session session(engine, {.context = 4096, .chunk = 2560, .replay = replay});
    const size_t taken = AddressSpace() - before;
    EXPECT_GE(taken + kMegabyte, planned) << ReplayName(replay);
    EXPECT_LE(taken, planned + 7 * kMegabyte) << ReplayName(replay);
  }
}

constexpr size_t kManyPositions = 2000000000;

TEST(MemoryTest, RefusesAPlanThatDoesNotFit) {
  GoldenFiles files("tiny");  // with a config that promises many positions
  const std::string key = "\"max_position_embeddings\": ";
  std::string& config = files["config.json"];
  config.replace(config.find(key) + key.size(), 4, std::to_string(kManyPositions));
  const Engine engine = files.MakeEngine();
  ASSERT_EQ(engine.config().max_positions, kManyPositions);
  // A chunk of so many rows needs tens of terabytes of activations.
  for (const size_t context : {size_t{0}, kManyPositions - 7}) {
    try {
      const Session session(engine, {.context = context, .chunk = kManyPositions});
      FAIL() << "a session of " << context << " positions";
    } catch (const Error& e) {
      EXPECT_EQ(e.kind(), ErrorKind::kModel);
      const std::string text = e.what();
      EXPECT_NE(text.find(std::to_string(context > 0 ? context : kManyPositions)),
                std::string::npos)
          << text;
      EXPECT_NE(text.find("available"), std::string::npos) << text;
    }
  }
  EXPECT_NO_THROW(Session(engine, {.context = 1000}));
}

}  // namespace
}  // namespace cedar
