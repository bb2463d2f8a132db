#include "app/demo_files.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "tests/paths.h"

namespace cedar {
namespace {

std::vector<uint8_t> ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file.is_open()) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(DemoFilesTest, AreTheFilesOfTheRepositoryByteForByte) {
  const auto files = DemoFiles();
  ASSERT_EQ(files.size(), 3u);
  for (const auto& [name, bytes] : files) {
    const std::vector<uint8_t> expected = ReadFile(SourcePath("app/demo/" + name));
    EXPECT_FALSE(expected.empty());
    EXPECT_TRUE(std::equal(bytes.begin(), bytes.end(), expected.begin(), expected.end())) << name;
  }
}

TEST(DemoFilesTest, BeginAtMultiplesOf64Bytes) {
  for (const auto& [name, bytes] : DemoFiles()) {
    EXPECT_EQ(reinterpret_cast<uintptr_t>(bytes.data()) % 64, 0u) << name;
  }
}

}  // namespace
}  // namespace cedar
