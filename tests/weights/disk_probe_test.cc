#include "weights/disk_probe.h"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/temp_folder.h"

namespace cedar {
namespace {

class DiskProbeTest : public testing::Test {
 protected:
  DiskProbe Probe(const std::vector<std::string>& paths) {
    const auto start = std::chrono::steady_clock::now();
    const DiskProbe probe = ProbeDisk(paths);
    seconds_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return probe;
  }

  test::TempFolder folder_;
  double seconds_ = 0;
};

// Whether O_DIRECT works there, the file system decides.
TEST_F(DiskProbeTest, DataOnDisk) {
  const std::string path = folder_.Write("file", std::string(size_t{16} << 20, 'x'));
  test::DropFromCache(path);  // writes it to disk first
  const DiskProbe probe = Probe({path});
  EXPECT_EQ(probe.bytes_per_second.has_value(), probe.why.empty()) << probe.why;
  if (probe.bytes_per_second) {
    EXPECT_GT(*probe.bytes_per_second, 1e5);
  }
  EXPECT_LT(seconds_, 5);  // one, on a machine that is not busy
}

// A hole is read at once, and tells nothing of the disk.
TEST_F(DiskProbeTest, HolesAreNotRead) {
  const std::string path = folder_.Write("file", "x");
  std::filesystem::resize_file(path, uintmax_t{1} << 40);
  const DiskProbe probe = Probe({path, path});
  EXPECT_FALSE(probe.bytes_per_second.has_value());
  EXPECT_FALSE(probe.why.empty());
  EXPECT_LT(seconds_, 5);
}

TEST_F(DiskProbeTest, FilesThatAreNotThere) {
  EXPECT_EQ(Probe({}).why, "the files are not here");
  EXPECT_EQ(Probe({folder_ / "nothing", folder_.path()}).why, "the files are not here");
}

TEST_F(DiskProbeTest, OnlySomeFileSystemsLieInMemory) {
  EXPECT_FALSE(LiesInMemory("/proc/self/status"));
  EXPECT_FALSE(LiesInMemory(folder_ / "nothing"));
}

}  // namespace
}  // namespace cedar
