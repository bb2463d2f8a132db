#include "weights/prefetcher.h"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "tests/temp_folder.h"
#include "weights/mapped_file.h"

namespace cedar {
namespace {

constexpr size_t kPage = 4096, kPages = 2048;

class PrefetcherTest : public testing::TestWithParam<Prefetcher::Way> {};

// What is asked for comes into the cache, and nothing else.
TEST_P(PrefetcherTest, FetchesWhatIsAbsent) {
  const test::TempFolder directory;
  test::WriteBytes(directory / "table", std::string(kPages * kPage, 'x'));
  test::DropFromCache(directory / "table");
  const MappedFile file = MappedFile::Map(directory / "table");
  AdviseRandomAccess(file.bytes());
  if (!MayBeAbsent(file.bytes().subspan(0, 1))) {
    GTEST_SKIP() << "the cache of this file system cannot be emptied";
  }
  std::vector<std::span<const uint8_t>> rows;
  for (size_t page = 0; page + 1 < kPages; page += 4) {
    rows.push_back(file.bytes().subspan((page + 1) * kPage - 100, 200));  // the end of it, and more
  }
  Prefetcher prefetcher(GetParam());
  prefetcher.Fetch(rows);
  prefetcher.Fetch({});
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  for (const std::span<const uint8_t> row : rows) {
    while (MayBeAbsent(row) && std::chrono::steady_clock::now() < end) std::this_thread::yield();
    EXPECT_FALSE(MayBeAbsent(row));
  }
  for (size_t page = 2; page < kPages; page += 4) {
    EXPECT_TRUE(MayBeAbsent(file.bytes().subspan(page * kPage, 2 * kPage))) << page;
  }
}

// Parts that cannot be fetched are left alone: there is nothing to report.
TEST_P(PrefetcherTest, TakesAnything) {
  const std::vector<uint8_t> memory(10);
  const std::span<const uint8_t> parts[] = {memory, {}, std::span(memory).subspan(9)};
  Prefetcher prefetcher(GetParam());
  prefetcher.Fetch(parts);
}

// What was asked for takes room until it is done, however much it is.
TEST_P(PrefetcherTest, HasRoomAgainWhenAllIsDone) {
  const test::TempFolder directory;
  test::WriteBytes(directory / "table", std::string(kPage, 'x'));
  const MappedFile file = MappedFile::Map(directory / "table");
  Prefetcher prefetcher(GetParam());
  const size_t room = prefetcher.room();
  EXPECT_GT(room, 0u);
  prefetcher.Fetch(std::vector<std::span<const uint8_t>>(100000, file.bytes()));
  EXPECT_LE(prefetcher.room(), room);
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (prefetcher.room() < room && std::chrono::steady_clock::now() < end) {
    std::this_thread::yield();
  }
  EXPECT_EQ(prefetcher.room(), room);
}

// To make room in the cache for a quarter of a GB takes many times as long as to ask.
TEST(PrefetcherRingTest, WhatTheKernelIsBusyWithTakesRoom) {
  Prefetcher prefetcher;
  if (!prefetcher.uses_io_uring()) GTEST_SKIP() << "no io_uring here";
  const test::TempFolder directory;
  test::WriteBytes(directory / "zeros", "");
  std::filesystem::resize_file(directory / "zeros", size_t{256} << 20);
  const MappedFile file = MappedFile::Map(directory / "zeros");
  const size_t room = prefetcher.room();
  prefetcher.FetchLarge(std::vector<std::span<const uint8_t>>{file.bytes()});
  EXPECT_LT(prefetcher.room(), room);
}

INSTANTIATE_TEST_SUITE_P(Ways, PrefetcherTest,
                         testing::Values(Prefetcher::Way::kBest, Prefetcher::Way::kMadvise),
                         [](const auto& info) {
                           return info.param == Prefetcher::Way::kBest ? "Best" : "Madvise";
                         });

}  // namespace
}  // namespace cedar
