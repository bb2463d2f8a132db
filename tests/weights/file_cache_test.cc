#include "weights/file_cache.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "tests/temp_folder.h"
#include "weights/model_files.h"

namespace cedar {
namespace {

constexpr size_t kMega = size_t{1} << 20;

// A checkpoint of one tensor of so many bytes.
void WriteCheckpoint(const std::string& path, size_t bytes) {
  const std::string header =
      nlohmann::json({{"x", {{"dtype", "U8"}, {"shape", {bytes}}, {"data_offsets", {0, bytes}}}}})
          .dump();
  std::string file;
  for (size_t i = 0; i < 8; ++i) file += static_cast<char>(header.size() >> (8 * i) & 255);
  test::WriteBytes(path, file + header + std::string(bytes, 'x'));
}

TEST(FileCache, AFileThatWasWrittenIsThereUntilItIsDropped) {
  const test::TempFolder folder;
  const std::string path = folder / "model.safetensors";
  WriteCheckpoint(path, 9 * kMega);
  const Checkpoint checkpoint(ModelFiles::InDirectory(folder.path()));
  const auto use = LookAtFileCache(checkpoint);
  ASSERT_TRUE(use);
  EXPECT_GT(use->bytes, 9 * kMega);
  EXPECT_EQ(use->present_share, 1);
  // Places at the ends may be shorter than 2 MB.
  EXPECT_GE(use->places, 3u);
  EXPECT_LE(use->places, 4u);
  EXPECT_GE(use->huge_share, 0);
  EXPECT_LE(use->huge_share, 1);
}

TEST(FileCache, WhatTheSystemDroppedIsNotThere) {
  const test::TempFolder folder;
  const std::string path = folder / "model.safetensors";
  WriteCheckpoint(path, 9 * kMega);
  test::DropFromCache(path);
  const Checkpoint checkpoint(ModelFiles::InDirectory(folder.path()));
  const auto use = LookAtFileCache(checkpoint);
  ASSERT_TRUE(use);
  if (use->present_share == 1) GTEST_SKIP() << "this file system keeps files in memory";
  // What was read since, for the header, may be the first pieces that the system reads ahead.
  EXPECT_LT(use->present_share, 0.7);
}

}  // namespace
}  // namespace cedar
