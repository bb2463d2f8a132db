// Rows of Engram tables that lie on the disk are on their way before the step that uses them.

#include "engine/engram_fetch.h"

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "engine/engine.h"
#include "engine/kv_pages.h"
#include "engine/model.h"
#include "engine/observer.h"
#include "engine/scheduler.h"
#include "engine/sequence.h"
#include "engine/step.h"
#include "tests/paths.h"
#include "tests/temp_folder.h"
#include "weights/synthetic_checkpoint.h"

namespace cedar {
namespace {

using Tokens = std::vector<int32_t>;

// The golden "tiny" shape with tables of 12 MB each: what one token looks up in them is rarely on
// the page of another's rows.
void WriteModel(const std::string& directory) {
  const std::string path = GoldenPath("tiny/config.json");
  nlohmann::json config = nlohmann::json::parse(test::ReadBytes(path));
  config["text_config"]["engram_vocab_size"] = 60000;
  WriteSyntheticCheckpoint(directory, MakeSyntheticModel(config.dump(), path, {}), 1, {});
}

class EngramFetchTest : public testing::Test {
 protected:
  EngramFetchTest() {
    const std::string directory = folder_ / "model";
    WriteModel(directory);
    engine_.emplace(ModelFiles::InDirectory(directory), EngineOptions{.threads = 2});
    for (const std::string& file : test::FilesIn(directory)) test::DropFromCache(file);
  }

  void SetUp() override {
    if (Absent(prompt_, 0) < prompt_.size()) {
      GTEST_SKIP() << "the cache of this file system cannot be emptied";
    }
  }

  // Rows of tokens [first, tokens.size()) of a sequence that are not in memory.
  size_t Absent(const Tokens& tokens, size_t first) const {
    const Model& model = engine_->model();
    const EngramConfig& e = model.config.engram;
    std::vector<std::span<const uint8_t>> absent;
    std::vector<size_t> rows(e.columns());
    for (size_t i = first; i < tokens.size(); ++i) {
      for (size_t engram = 0; engram < e.layers.size(); ++engram) {
        model.engram_hash->Rows(engram, std::span(tokens).first(i + 1), rows);
        model.weights.layers[static_cast<size_t>(e.layers[engram])].engram->table.AddAbsent(rows,
                                                                                            absent);
      }
    }
    return absent.size();
  }

  // Waits until they are all there; false after half a minute.
  bool Come(const Tokens& tokens, size_t first) const {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (Absent(tokens, first) > 0) {
      if (std::chrono::steady_clock::now() > end) return false;
      std::this_thread::yield();
    }
    return true;
  }

  SchedulerOptions Options(size_t parallel) const {
    constexpr size_t kContext = 64;
    const size_t pages = KvPageLayout(engine_->config(), engine_->plan()).PagesFor(kContext);
    return {.context = kContext,
            .chunk = 8,
            .parallel = parallel,
            .replay = Replay::kBounded,
            .pages = (parallel + 1) * pages + 1};
  }

  static Tokens RandomTokens(size_t count, uint32_t seed) {
    Tokens tokens(count);
    for (int32_t& id : tokens) id = static_cast<int32_t>(seed = seed * 1664525 + 1013904223) & 511;
    return tokens;
  }

  const test::TempFolder folder_;
  std::optional<Engine> engine_;
  const Tokens prompt_ = RandomTokens(24, 1), other_ = RandomTokens(24, 2);
};

// Calls back when a layer begins.
class AtLayer : public BlockObserver {
 public:
  using Call = std::function<void(const Step& step)>;
  AtLayer(size_t layer, Call call) : layer_(layer), call_(std::move(call)) {}
  void OnStep(size_t layer, const Step& step) override {
    if (layer == layer_) call_(step);
  }

 private:
  size_t layer_;
  Call call_;
};

// Chooses given tokens, and calls back before each.
class Dictated : public RequestClient {
 public:
  Dictated(Tokens tokens, std::function<void(size_t made)> call)
      : tokens_(std::move(tokens)), call_(std::move(call)) {}
  std::optional<int32_t> Next(std::span<const float>) override {
    call_(made_);
    if (made_ == tokens_.size()) return std::nullopt;
    return tokens_[made_++];
  }

 private:
  Tokens tokens_;
  std::function<void(size_t made)> call_;
  size_t made_ = 0;
};

void RunAll(Scheduler& scheduler) {
  while (!scheduler.Idle()) scheduler.Step();
}

TEST_F(EngramFetchTest, RowsOfTheNextChunkComeWhileOneIsComputed) {
  for (const Replay replay : {Replay::kBounded, Replay::kFull}) {
    Session session(*engine_, {.context = 64, .chunk = 8, .replay = replay});
    const Tokens& prompt = replay == Replay::kFull ? prompt_ : other_;
    size_t chunks = 0;
    AtLayer observer(0, [&](const Step& step) {
      const size_t next = step.segments[0].position + 8, after = next + 8;
      if (next == prompt.size()) return;
      EXPECT_TRUE(Come({prompt.begin(), prompt.begin() + static_cast<long>(after)}, next));
      // Not all that will ever be wanted: the chunk after the next one waits for its turn.
      if (++chunks == 1) {
        EXPECT_GT(Absent(prompt, after), 0u);
      }
    });
    session.Observe(&observer);
    session.Prefill(prompt);
    EXPECT_EQ(chunks, 2u);
  }
}

TEST_F(EngramFetchTest, RowsOfARequestThatWaitsComeWhileAnotherIsComputed) {
  for (const size_t parallel : {1, 2}) {  // in the queue, or admitted and without room in the step
    const Tokens mine = RandomTokens(8, 10 + parallel), next = RandomTokens(8, 20 + parallel);
    Scheduler scheduler(*engine_, Options(parallel));
    Dictated client({}, [](size_t) {});
    bool came = false;
    AtLayer observer(0, [&](const Step& step) {
      if (step.segments[0].sequence->tokens != mine) return;
      came = Come(next, 0);
      EXPECT_TRUE(came);
    });
    scheduler.Observe(&observer);
    scheduler.Add({.prompt = mine, .client = &client});
    scheduler.Add({.prompt = next, .client = &client});
    RunAll(scheduler);
    EXPECT_TRUE(came);
  }
}

TEST_F(EngramFetchTest, RowsOfATokenComeAsSoonAsItIsDrawn) {
  Session session(*engine_, {.context = 64});
  session.Prefill(prompt_);
  Tokens tokens = prompt_;
  tokens.push_back(300);
  EXPECT_GT(Absent(tokens, prompt_.size()), 0u);
  session.Expect(300);
  EXPECT_TRUE(Come(tokens, prompt_.size()));
  session.Decode(300);
}

TEST_F(EngramFetchTest, RowsOfDrawnTokensComeBeforeTheNextStep) {
  Scheduler scheduler(*engine_, Options(2));
  const Tokens drawn = RandomTokens(3, 3), prompt(prompt_.begin(), prompt_.begin() + 4);
  size_t made = 0, seen = 0;
  Dictated first(drawn, [&](size_t before) { made = std::min(before + 1, drawn.size()); });
  Dictated second(drawn, [](size_t) {});
  scheduler.Add({.prompt = prompt, .client = &first});
  scheduler.Add({.prompt = std::span(other_).first(4), .client = &second});
  Tokens tokens = prompt;
  while (!scheduler.Idle()) {
    scheduler.Step();
    for (; seen < made; ++seen) {
      tokens.push_back(drawn[seen]);
      EXPECT_TRUE(Come(tokens, tokens.size() - 1)) << seen;
    }
  }
  EXPECT_EQ(seen, drawn.size());
}

}  // namespace
}  // namespace cedar
