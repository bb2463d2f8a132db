// cedar batch --cache-dir: what a run leaves for later ones, whatever happens to it on disk.

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/app/batch_lines.h"
#include "tests/app/child_process.h"
#include "tests/app/held_out.h"
#include "tests/app/model_folder.h"
#include "tests/app/run_process.h"
#include "tests/app/small_disk.h"
#include "tests/temp_folder.h"
#include "weights/random.h"

namespace cedar::test {
namespace {

using nlohmann::json;

constexpr size_t kPageTokens = 128;
// Of the demo model, with the header of its record; and the header of a file (engine/kv_store.cc).
constexpr size_t kRecordBytes = 80 * kPageTokens + 32;
constexpr size_t kHeaderBytes = 40;

// Questions of more than a page each that share nothing, answered the same from a cache: what
// follows a restored page is near the cold result, and the demo model is sure of these answers.
std::string Questions(size_t first, size_t count) {
  const std::vector<HeldOut> questions = ReadHeldOut();
  std::string input;
  for (size_t i = first; i < first + count; ++i) {
    const std::string& ledger = questions[(i + 1) % questions.size()].text;
    json body = Question(std::to_string(i) + ". " + ledger + "\n\n" + questions[i].text);
    body["max_tokens"] = 6;
    input += BatchLine(std::to_string(i), body);
  }
  return input;
}

size_t CachedTokens(const std::vector<json>& lines) {
  size_t cached = 0;
  for (const json& line : lines) {
    const json& usage = line.at("response").at("body").at("usage");
    cached += usage.at("prompt_tokens_details").at("cached_tokens").get<size_t>();
  }
  return cached;
}

// A directory, and runs that use it.
struct Cache {
  std::vector<std::string> Options(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> all = {"--cache-dir", directory, "--threads", "1"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  std::vector<json> Run(const std::string& input, const std::vector<std::string>& more = {}) const {
    const BatchRun run = RunBatch(input, Options(more));
    EXPECT_EQ(run.process.exit_code, 0) << run.process.err;
    return run.lines;
  }

  std::vector<std::string> Files() const { return FilesIn(directory); }
  // Of files that come and go.
  size_t Bytes() const {
    size_t bytes = 0;
    std::error_code gone;
    for (std::filesystem::directory_iterator it(directory, gone), end; !gone && it != end;
         it.increment(gone)) {
      const auto size = it->file_size(gone);
      if (!gone) bytes += size;
    }
    return bytes;
  }

  TempFolder folder;
  std::string directory = folder / "cache";
};

TEST(BatchCacheTest, HoldsNothingExact) {
  const Cache cache;
  const std::string in = cache.folder.Write("in.jsonl", Questions(0, 1));
  for (const char* mode : {"exact", "off"}) {
    const ProcessResult result = RunCedar({"batch", "demo", "-i", in, "-o", cache.folder / "out",
                                           "--cache-dir", cache.directory, "--reuse", mode});
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_EQ(result.err.rfind(std::string("cedar: --reuse: found ") + mode, 0), 0u) << result.err;
  }
  cache.Run(Questions(0, 1), {"--reuse", "global"});
}

TEST(BatchCacheTest, AFlippedBitInAnyFileIsNoticedAndMended) {
  const Cache cache;
  const std::string input = Questions(0, 6);
  for (size_t i = 0; i < 6; i += 2) cache.Run(Questions(i, 2));
  const auto cold = ByCustomId(RunBatch(input).lines);
  const std::vector<json> warm = cache.Run(input);
  EXPECT_EQ(ByCustomId(warm), cold);
  const std::vector<std::string> files = cache.Files();
  ASSERT_EQ(files.size(), 3u);
  for (const std::string& file : files) {
    const std::string whole = ReadBytes(file);
    ASSERT_GE(whole.size(), kHeaderBytes + 2 * kRecordBytes);
    // Version, model; key, checksum and page of the first record; the end.
    for (const size_t at : {size_t{8}, size_t{20}, kHeaderBytes + 3, kHeaderBytes + 20,
                            kHeaderBytes + kRecordBytes / 2, whole.size() - 1}) {
      std::string damaged = whole;
      damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
      WriteBytes(file, damaged);
      const std::vector<json> again = cache.Run(input);
      EXPECT_EQ(ByCustomId(again), cold) << at;
      EXPECT_LT(CachedTokens(again), CachedTokens(warm)) << at;  // it was noticed
      EXPECT_EQ(CachedTokens(cache.Run(input)), CachedTokens(warm)) << at;
      for (const std::string& other : cache.Files()) {
        if (std::find(files.begin(), files.end(), other) == files.end()) {
          std::filesystem::remove(other);
        }
      }
      WriteBytes(file, whole);
    }
  }
}

TEST(BatchCacheTest, IsNeverOverItsCapAndKeepsTheNewest) {
  const Cache cache;
  constexpr size_t kCap = 64 * kRecordBytes;
  const std::vector<std::string> options = {"--cache-size", std::to_string(kCap)};
  std::string last;
  for (size_t i = 0; i < 60; i += 12) {
    const TempFolder folder;
    last = Questions(i, 12);
    std::vector<std::string> arguments = {
        "batch", "demo", "-i", folder.Write("in.jsonl", last), "-o", folder / "out.jsonl"};
    const std::vector<std::string> more = cache.Options(options);
    arguments.insert(arguments.end(), more.begin(), more.end());
    ChildProcess run(arguments);
    while (!run.Poll()) {
      ASSERT_LE(cache.Bytes(), kCap);
      usleep(500);
    }
    EXPECT_EQ(run.Wait(), 0);
    ASSERT_LE(cache.Bytes(), kCap);
  }
  EXPECT_GT(cache.Bytes(), kCap / 2);
  EXPECT_GT(CachedTokens(cache.Run(last, options)), 6 * kPageTokens);
  EXPECT_EQ(CachedTokens(cache.Run(Questions(0, 12), options)), 0u);
}

// Kills runs at random moments; each leaves what it has written, and the next one uses it.
TEST(BatchCacheTest, KilledWhileItIsWritten) {
  constexpr size_t kQuestions = 8;
  const std::string input = Questions(0, kQuestions);
  const auto begin = std::chrono::steady_clock::now();
  const auto cold = ByCustomId(RunBatch(input, {"--threads", "1"}).lines);
  const std::chrono::duration<double> length = std::chrono::steady_clock::now() - begin;
  Random random(5);
  for (int round = 0; round < 5; ++round) {
    const Cache cache;
    const std::string in = cache.folder.Write("in.jsonl", input);
    for (int kill = 0; kill < 4; ++kill) {
      std::vector<std::string> arguments = {"batch", "demo", "-i", in, "-o", "-"};
      const std::vector<std::string> options = cache.Options();
      arguments.insert(arguments.end(), options.begin(), options.end());
      ChildProcess run(arguments);
      usleep(static_cast<useconds_t>(random.NextUnit() * length.count() * 1e6));
      run.Signal(SIGKILL);
      run.Wait();
    }
    EXPECT_EQ(ByCustomId(cache.Run(input)), cold);
    const std::vector<json> warm = cache.Run(input);
    EXPECT_EQ(ByCustomId(warm), cold);
    EXPECT_GE(CachedTokens(warm), kQuestions * kPageTokens);
  }
}

TEST(BatchCacheTest, TwoProcessesAtOnce) {
  const auto cold = ByCustomId(RunBatch(Questions(0, 15)).lines);
  for (const size_t cap : {size_t{16} << 30, 16 * kRecordBytes}) {
    const Cache cache;
    const std::vector<std::string> options =
        cache.Options({"--cache-size", std::to_string(cap), "--parallel", "4"});
    const auto arguments = [&](const std::string& name, const std::string& input) {
      std::vector<std::string> all = {"batch", "demo",
                                      "-i",    cache.folder.Write(name, input),
                                      "-o",    cache.folder / (name + ".out")};
      all.insert(all.end(), options.begin(), options.end());
      return all;
    };
    for (int round = 0; round < 2; ++round) {
      const std::string a = "a" + std::to_string(round), b = "b" + std::to_string(round);
      // The one's questions are in part the other's.
      ChildProcess first(arguments(a, Questions(0, 10))), second(arguments(b, Questions(5, 10)));
      while (!first.Poll() || !second.Poll()) {
        EXPECT_LE(cache.Bytes(), cap);
        usleep(1000);
      }
      EXPECT_EQ(first.Wait() + second.Wait(), 0);
      for (const std::string& name : {a, b}) {
        const auto answers = ByCustomId(ParseLines(ReadBytes(cache.folder / (name + ".out"))));
        EXPECT_EQ(answers.size(), 10u);
        for (const auto& [id, answer] : answers) EXPECT_EQ(answer, cold.at(id));
      }
    }
    EXPECT_GT(CachedTokens(cache.Run(Questions(0, 15))), 0u);  // what both left can be read
  }
}

TEST(BatchCacheTest, WhatFollowsAnInexactStartIsNotStored) {
  const Cache cache;
  const std::vector<HeldOut> questions = ReadHeldOut();
  const std::string start = questions[0].text + "\n\n" + questions[1].text;
  std::string longer = start;
  for (size_t i = 2; i < 6; ++i) longer += "\n\n" + questions[i].text;
  const auto line = [](const std::string& text) { return BatchLine("a", Question(text)); };
  cache.Run(line(start));
  const size_t bytes = cache.Bytes();
  const size_t first = CachedTokens(cache.Run(line(longer)));
  EXPECT_GE(first, kPageTokens);
  EXPECT_EQ(cache.Bytes(), bytes);
  EXPECT_EQ(CachedTokens(cache.Run(line(longer))), first);
}

// What one way of computing left is nothing to the others, and theirs does not harm it.
TEST(BatchCacheTest, OtherNumericsAndInstructionSetsTakeNothing) {
  const Cache cache;
  const std::string input = Questions(0, 3);
  const std::vector<std::vector<std::string>> ways = {
      {}, {"--numerics", "int8"}, {"--isa", "reference"}};
  for (const std::vector<std::string>& way : ways) {
    EXPECT_EQ(CachedTokens(cache.Run(input, way)), 0u);
    EXPECT_GE(CachedTokens(cache.Run(input, way)), 3 * kPageTokens);
  }
  EXPECT_GE(CachedTokens(cache.Run(input, ways[0])), 3 * kPageTokens);
}

TEST(BatchCacheTest, OtherModelsTakeNothing) {
  const Cache cache;
  const std::string in = cache.folder.Write("in.jsonl", Questions(0, 3));
  const ModelFolder model;
  const auto cached = [&] {
    const std::string out = cache.folder / "out.jsonl";
    std::vector<std::string> arguments = {"batch", model.path(), "-i",         in,
                                          "-o",    out,          "--no-resume"};
    const std::vector<std::string> options = cache.Options();
    arguments.insert(arguments.end(), options.begin(), options.end());
    const ProcessResult result = RunCedar(arguments);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return CachedTokens(ParseLines(ReadBytes(out)));
  };
  EXPECT_EQ(cached(), 0u);
  EXPECT_GE(cached(), 3 * kPageTokens);
  model.EditConfig([](json& config) { config["swiglu_limit"] = 9.5; });
  EXPECT_EQ(cached(), 0u);
  EXPECT_GE(cached(), 3 * kPageTokens);
  // The last weight of the file.
  model.EditBytes("model.safetensors",
                  [](std::string& bytes) { bytes.back() = static_cast<char>(bytes.back() ^ 1); });
  EXPECT_EQ(cached(), 0u);
}

TEST(BatchCacheTest, AFullDiskCostsTheCacheAndNotTheRun) {
  const Cache cache;
  const SmallDisk disk(cache.directory);
  if (!disk.mounted()) GTEST_SKIP() << "only root can mount a small file system";
  const std::string input = Questions(0, 6);
  const BatchRun run = RunBatch(input, cache.Options());
  EXPECT_EQ(run.process.exit_code, 0) << run.process.err;
  EXPECT_NE(run.process.err.find("the cache took no more: " + cache.directory), std::string::npos)
      << run.process.err;
  EXPECT_NE(run.process.err.find("No space left"), std::string::npos) << run.process.err;
  EXPECT_EQ(ByCustomId(run.lines), ByCustomId(RunBatch(input).lines));
  EXPECT_EQ(ByCustomId(cache.Run(input)), ByCustomId(run.lines));
}

}  // namespace
}  // namespace cedar::test
