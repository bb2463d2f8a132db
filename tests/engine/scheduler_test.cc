#include "engine/scheduler.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "engine/kv_pages.h"
#include "tests/paths.h"
#include "tests/temp_folder.h"

namespace cedar {
namespace {

using Tokens = std::vector<int32_t>;

// A request's whole result: every logit that was handed out, bit for bit, and the tokens.
struct Result {
  std::vector<std::vector<float>> logits;
  Tokens tokens;

  bool operator==(const Result& other) const {
    if (tokens != other.tokens || logits.size() != other.logits.size()) return false;
    for (size_t i = 0; i < logits.size(); ++i) {
      if (std::memcmp(logits[i].data(), other.logits[i].data(), logits[i].size() * sizeof(float)) !=
          0) {
        return false;
      }
    }
    return true;
  }
};

int32_t Best(std::span<const float> logits) {
  return static_cast<int32_t>(std::max_element(logits.begin(), logits.end()) - logits.begin());
}

// Generates greedily, a fixed number of tokens.
class Greedy : public RequestClient {
 public:
  explicit Greedy(size_t count) : count_(count) {}
  std::optional<int32_t> Next(std::span<const float> logits) override {
    result.logits.emplace_back(logits.begin(), logits.end());
    if (result.tokens.size() == count_) return std::nullopt;
    result.tokens.push_back(Best(logits));
    return result.tokens.back();
  }
  void OnPromptLogits(size_t position, std::span<const float> logits) override {
    EXPECT_EQ(position, prompt_logits.size());
    prompt_logits.emplace_back(logits.begin(), logits.end());
  }
  Result result;
  std::vector<std::vector<float>> prompt_logits;

 private:
  size_t count_;
};

struct Job {
  Tokens prompt;
  size_t count;
  Replay replay = Replay::kBounded;
};

Result RunAlone(const Engine& engine, const Job& job) {
  Session session(engine, {.context = job.prompt.size() + job.count, .replay = job.replay});
  session.Prefill(job.prompt);
  Greedy client(job.count);
  while (const std::optional<int32_t> next = client.Next(session.logits())) session.Decode(*next);
  return client.result;
}

class SchedulerTest : public testing::Test {
 protected:
  static constexpr size_t kContext = 400;

  SchedulerTest() : engine_(ModelFiles::InDirectory(GoldenPath("tiny")), {.threads = 2}) {}

  size_t PagesOf(size_t contexts) const {
    return contexts * KvPageLayout(engine_.config(), engine_.plan()).PagesFor(kContext) + 1;
  }

  SchedulerOptions Options(size_t parallel, size_t contexts) const {
    return {.context = kContext,
            .chunk = 32,
            .parallel = parallel,
            .pages = PagesOf(contexts),
            .prefix_bytes = size_t{8} << 20};
  }

  Tokens RandomTokens(size_t n) {
    Tokens tokens(n);
    for (int32_t& id : tokens) id = static_cast<int32_t>(3 + random_() % 500);
    return tokens;
  }

  // Prompts of all lengths; many go on from a common document.
  std::vector<Job> Jobs(size_t n) {
    const Tokens document = RandomTokens(150);
    std::vector<Job> jobs;
    for (size_t i = 0; i < n; ++i) {
      Job job{RandomTokens(1 + random_() % 90), random_() % 12};
      if (i % 3 != 0) {
        Tokens shared(document.begin(), document.begin() + (i % 6 == 1 ? 150 : 97));
        shared.insert(shared.end(), job.prompt.begin(), job.prompt.end());
        job.prompt = shared;
      }
      if (i % 5 == 4) job.replay = i % 2 == 0 ? Replay::kExact : Replay::kFull;
      jobs.push_back(job);
    }
    return jobs;
  }

  void ExpectSameAsAlone(const std::vector<Job>& jobs, const SchedulerOptions& options,
                         bool reuse) {
    Scheduler scheduler(engine_, options);
    std::vector<std::unique_ptr<Greedy>> clients;
    for (const Job& job : jobs) {
      clients.push_back(std::make_unique<Greedy>(job.count));
      scheduler.Add({.prompt = job.prompt,
                     .client = clients.back().get(),
                     .replay = job.replay,
                     .reuse = reuse});
    }
    std::map<size_t, size_t> finished;
    while (!scheduler.Idle()) {
      for (const Finished& done : scheduler.Step()) ++finished[done.id];
    }
    counts_ = scheduler.counts();
    EXPECT_EQ(finished.size(), jobs.size());
    for (size_t i = 0; i < jobs.size(); ++i) {
      EXPECT_EQ(finished[i], 1u);
      EXPECT_TRUE(clients[i]->result == RunAlone(engine_, jobs[i])) << "request " << i;
    }
  }

  Engine engine_;
  std::mt19937 random_{7};
  SchedulerCounts counts_;
};

TEST_F(SchedulerTest, OneAfterTheOther) { ExpectSameAsAlone(Jobs(10), Options(1, 1), false); }

TEST_F(SchedulerTest, ManyAtOnce) { ExpectSameAsAlone(Jobs(24), Options(7, 7), false); }

TEST_F(SchedulerTest, ChunksShorterThanTheWindow) {
  SchedulerOptions options = Options(3, 3);
  options.chunk = 5;
  ExpectSameAsAlone(Jobs(6), options, true);
}

TEST_F(SchedulerTest, KeptPrefixesChangeNoBit) {
  ExpectSameAsAlone(Jobs(24), Options(7, 12), true);
  EXPECT_GT(counts_.cached_tokens, 600u);
  EXPECT_EQ(counts_.preempted, 0u);
}

TEST_F(SchedulerTest, KeptPrefixesUnderASmallBudget) {
  SchedulerOptions options = Options(5, 1);
  options.prefix_bytes = 1 << 20;
  options.keep_every = 40;
  ExpectSameAsAlone(Jobs(24), options, true);
  EXPECT_LE(counts_.prefix_bytes, options.prefix_bytes);
  EXPECT_GT(counts_.cached_tokens, 0u);
}

TEST_F(SchedulerTest, WhoGivesWayComesBackWithTheSameBits) {
  // Short prompts start together and then outgrow the pages.
  std::vector<Job> jobs;
  for (size_t i = 0; i < 6; ++i) jobs.push_back({RandomTokens(100 + i), 60});
  ExpectSameAsAlone(jobs, Options(6, 1), false);
  EXPECT_GT(counts_.preempted, 0u);
}

// The second waits for the prefix that it shares with the first, so that the third begins before
// it. When the prefix has come there are no pages for the second: the others must go on without it.
TEST_F(SchedulerTest, WhoFindsNoPagesHoldsUpNobodyThatHasBegun) {
  std::vector<Job> jobs = {{RandomTokens(100), 4}, {}, {RandomTokens(300), 4}};
  jobs[1] = {{jobs[0].prompt.begin(), jobs[0].prompt.begin() + 50}, 4};
  for (const int32_t id : RandomTokens(250)) jobs[1].prompt.push_back(id);
  ExpectSameAsAlone(jobs, Options(3, 1), true);
  EXPECT_EQ(counts_.cached_tokens, 0u);
}

TEST_F(SchedulerTest, OneDocumentIsComputedOnce) {
  const Tokens document = RandomTokens(200);
  std::vector<Job> jobs;
  size_t own_rows = 0, generated = 0;
  for (size_t i = 0; i < 8; ++i) {
    Job job{document, 3};
    job.prompt.push_back(static_cast<int32_t>(10 + i));  // all part at the end of the document
    for (const int32_t id : RandomTokens(2 * i)) job.prompt.push_back(id);
    own_rows += job.prompt.size() - document.size();
    generated += job.count;
    jobs.push_back(job);
  }
  ExpectSameAsAlone(jobs, Options(8, 8), true);
  EXPECT_EQ(counts_.encoder_rows, document.size() + own_rows + generated);
  EXPECT_EQ(counts_.decoder_rows, 8 * engine_.config().window + generated);
}

TEST_F(SchedulerTest, TheSamePromptManyTimes) {
  const Tokens prompt = RandomTokens(77);
  ExpectSameAsAlone(std::vector<Job>(5, Job{prompt, 4}), Options(5, 5), true);
  EXPECT_EQ(counts_.encoder_rows, prompt.size() + 5 * 4);
}

// What a request answers from a document's global KV alone, by a session that reopens it.
Result RunReopened(const Engine& engine, const Job& job, size_t restored) {
  Session session(engine, {.context = job.prompt.size() + job.count});
  const std::span<const int32_t> prompt(job.prompt);
  session.Prefill(prompt.first(restored), /*last=*/false);
  session.Reopen();
  session.Prefill(prompt.subspan(restored));
  Greedy client(job.count);
  while (const std::optional<int32_t> next = client.Next(session.logits())) session.Decode(*next);
  return client.result;
}

class GlobalReuseTest : public SchedulerTest {
 protected:
  GlobalReuseTest() {
    job_.prompt = RandomTokens(300);
    job_.count = 4;
  }

  SchedulerOptions WithStore(SchedulerOptions options) const {
    options.reuse_global = true;
    options.cache_directory = folder_.string();
    options.cache_bytes = size_t{64} << 20;
    return options;
  }

  Finished Run(const Job& job, Result& result) {
    Scheduler scheduler(engine_, WithStore(Options(1, 2)));
    Greedy client(job.count);
    scheduler.Add({.prompt = job.prompt, .client = &client});
    std::vector<Finished> finished;
    while (finished.empty()) finished = scheduler.Step();
    result = client.result;
    return finished[0];
  }

  std::vector<std::string> Files() const { return test::FilesIn(folder_); }
  size_t Bytes() const { return test::BytesIn(folder_); }
  // Flips a bit so many bytes before the end of each file that is as long.
  void Damage(size_t before_end) const {
    for (const auto& path : Files()) {
      std::string bytes = test::ReadBytes(path);
      if (bytes.size() < before_end) continue;
      bytes[bytes.size() - before_end] ^= 4;
      test::WriteBytes(path, bytes);
    }
  }

  const size_t page_tokens_ = KvPageLayout(engine_.config(), engine_.plan()).tokens;
  const size_t page_bytes_ = KvPageLayout(engine_.config(), engine_.plan()).bytes;
  const test::TempFolder temporary_;
  const std::filesystem::path folder_ = temporary_ / "kv";  // does not exist yet
  Job job_;
};

TEST_F(GlobalReuseTest, ALaterRunStartsFromDisk) {
  Result cold, warm;
  EXPECT_EQ(Run(job_, cold).cached_tokens, 0u);
  EXPECT_TRUE(cold == RunAlone(engine_, job_));
  const size_t whole_pages = 2 * page_tokens_;  // of 300 tokens
  EXPECT_EQ(Run(job_, warm).cached_tokens, whole_pages);
  EXPECT_TRUE(warm == RunReopened(engine_, job_, whole_pages));
}

// Whichever page it is in: what stands before it must not keep the page from being stored again.
TEST_F(GlobalReuseTest, AFlippedBitIsNoticedAndThePageComputedAndStoredAgain) {
  Result cold, again, warm;
  Run(job_, cold);
  for (const size_t before_end : {page_bytes_ / 2, page_bytes_ + page_bytes_ / 2}) {
    Damage(before_end);
    EXPECT_EQ(Run(job_, again).cached_tokens, 0u);
    EXPECT_TRUE(again == cold);
    EXPECT_EQ(Run(job_, warm).cached_tokens, 2 * page_tokens_);
  }
}

TEST_F(GlobalReuseTest, AnUnfinishedRecordIsIgnored) {
  Result cold, warm;
  Run(job_, cold);
  for (const auto& path : Files()) {
    std::filesystem::resize_file(path, std::filesystem::file_size(path) - 1);
  }
  EXPECT_EQ(Run(job_, warm).cached_tokens, page_tokens_);
}

TEST_F(GlobalReuseTest, WhatFollowsAnInexactStartIsNotStored) {
  Job start = job_;
  start.prompt.resize(page_tokens_);
  Result result;
  Run(start, result);
  const size_t bytes = Bytes();
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(Run(job_, result).cached_tokens, page_tokens_);
    EXPECT_TRUE(result == RunReopened(engine_, job_, page_tokens_));
    EXPECT_EQ(Bytes(), bytes);
  }
}

TEST_F(GlobalReuseTest, WhoGivesWayDoesNotComeBackFromDisk) {
  std::vector<Job> jobs;
  for (size_t i = 0; i < 4; ++i) jobs.push_back({RandomTokens(2 * page_tokens_ - 10 + i), 40});
  ExpectSameAsAlone(jobs, WithStore(Options(4, 1)), true);
  EXPECT_GT(counts_.preempted, 0u);
  EXPECT_EQ(counts_.cached_tokens, 0u);
  EXPECT_GT(Bytes(), 4 * page_bytes_);
}

TEST_F(SchedulerTest, PromptLogits) {
  const Tokens prompt = RandomTokens(70);
  Greedy client(3);
  Scheduler scheduler(engine_, Options(2, 2));
  scheduler.Add({.prompt = prompt,
                 .client = &client,
                 .replay = Replay::kFull,
                 .reuse = false,
                 .prompt_logits = true});
  while (!scheduler.Idle()) scheduler.Step();
  Session session(engine_, {.context = 80, .replay = Replay::kFull});
  std::vector<std::vector<float>> expected;
  session.Score(prompt, [&](size_t, std::span<const float> logits) {
    expected.emplace_back(logits.begin(), logits.end());
  });
  EXPECT_EQ(client.prompt_logits, expected);
  EXPECT_TRUE(client.result == RunAlone(engine_, {prompt, 3, Replay::kFull}));
}

TEST_F(SchedulerTest, RequestsArriveWhileOthersRun) {
  const std::vector<Job> jobs = Jobs(12);
  Scheduler scheduler(engine_, Options(4, 4));
  std::vector<std::unique_ptr<Greedy>> clients;
  for (const Job& job : jobs) {
    clients.push_back(std::make_unique<Greedy>(job.count));
    scheduler.Add({.prompt = job.prompt, .client = clients.back().get(), .replay = job.replay});
    scheduler.Step();
  }
  while (!scheduler.Idle()) scheduler.Step();
  for (size_t i = 0; i < jobs.size(); ++i) {
    EXPECT_TRUE(clients[i]->result == RunAlone(engine_, jobs[i])) << "request " << i;
  }
}

}  // namespace
}  // namespace cedar
