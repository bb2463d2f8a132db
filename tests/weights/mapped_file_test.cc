#include "weights/mapped_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "simd/error.h"
#include "tests/temp_folder.h"

namespace cedar {
namespace {

std::string MessageOf(const std::string& path) {
  try {
    MappedFile::Map(path);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kModel);
    return error.what();
  }
  return "nothing was thrown";
}

TEST(MappedFile, ShowsTheBytesOfAFile) {
  const test::TempFolder directory;
  test::WriteBytes(directory / "file", std::string("a\0b", 3));
  MappedFile first = MappedFile::Map(directory / "file");
  EXPECT_EQ(first.path(), directory / "file");
  EXPECT_EQ(first.text(), std::string_view("a\0b", 3));
  const uint8_t* data = first.bytes().data();
  MappedFile second = std::move(first);
  EXPECT_EQ(second.bytes().data(), data);
  MappedFile third = MappedFile::Borrow("memory", {});
  third = std::move(second);
  EXPECT_EQ(third.text(), std::string_view("a\0b", 3));
}

TEST(MappedFile, BorrowsMemory) {
  const std::vector<uint8_t> bytes = {1, 2, 3};
  const MappedFile file = MappedFile::Borrow("demo/config.json", bytes);
  EXPECT_EQ(file.path(), "demo/config.json");
  EXPECT_EQ(file.bytes().data(), bytes.data());
}

TEST(MappedFile, RefusesWhatCannotBeMapped) {
  const test::TempFolder directory;
  EXPECT_EQ(MessageOf(directory / "missing"), (directory / "missing: No such file or directory"));
  EXPECT_EQ(MessageOf(directory.path()), directory.path() + ": found a directory, expected a file");
  test::WriteBytes(directory / "empty", "");
  EXPECT_EQ(MessageOf(directory / "empty"),
            (directory / "empty: found an empty file, expected content"));
  // Nobody writes to it: opening must not wait.
  ASSERT_EQ(mkfifo((directory / "fifo").c_str(), 0600), 0);
  EXPECT_EQ(MessageOf(directory / "fifo"),
            (directory / "fifo: found a special file, expected a regular file"));
}

TEST(MappedFile, ReadsPartsUnlessTheFileBecameShorter) {
  const test::TempFolder directory;
  test::WriteBytes(directory / "file", "0123456789");
  const MappedFile file = MappedFile::Map(directory / "file");
  std::string read(4, ' ');
  uint8_t* const to = reinterpret_cast<uint8_t*>(read.data());
  EXPECT_TRUE(file.Read(file.bytes().subspan(3, 4), to));
  EXPECT_EQ(read, "3456");
  std::filesystem::resize_file(directory / "file", 5);
  EXPECT_TRUE(file.Read(file.bytes().subspan(1, 4), to));
  EXPECT_EQ(read, "1234");
  EXPECT_FALSE(file.Read(file.bytes().subspan(3, 4), to));
}

TEST(MappedFile, ReadsBorrowedMemory) {
  const std::vector<uint8_t> bytes = {1, 2, 3};
  uint8_t read[2] = {};
  EXPECT_TRUE(MappedFile::Borrow("memory", bytes).Read(std::span(bytes).subspan(1), read));
  EXPECT_EQ(read[0], 2);
  EXPECT_EQ(read[1], 3);
}

// Advice changes no byte, wherever the range lies in its pages.
TEST(MappedFile, TakesAdviceAboutAnyRange) {
  const test::TempFolder directory;
  const std::string content(20000, 'x');
  test::WriteBytes(directory / "file", content);
  const MappedFile file = MappedFile::Map(directory / "file");
  for (const size_t begin : {0, 1, 4095, 4096, 19999, 20000}) {
    for (const size_t size : {0, 1, 5000, 20000}) {
      const auto range = file.bytes().subspan(begin, std::min(size, content.size() - begin));
      AdviseRandomAccess(range);
      StartReading(range);
    }
  }
  StartReading({});
  AdviseRandomAccess({});
  EXPECT_EQ(file.text(), content);
}

}  // namespace
}  // namespace cedar
