#ifndef CEDAR_TESTS_APP_SMALL_DISK_H_
#define CEDAR_TESTS_APP_SMALL_DISK_H_

#include <gtest/gtest.h>
#include <sys/mount.h>

#include <filesystem>
#include <string>
#include <utility>

namespace cedar::test {

// A file system that holds little.
class SmallDisk {
 public:
  explicit SmallDisk(std::string path) : path_(std::move(path)) {
    std::filesystem::create_directory(path_);
    mounted_ = mount("cedar_test", path_.c_str(), "tmpfs", 0, "size=16k") == 0;
  }
  ~SmallDisk() {
    if (mounted_) umount(path_.c_str());
  }
  bool mounted() const { return mounted_; }
  void Grow() const {
    EXPECT_EQ(mount("cedar_test", path_.c_str(), "tmpfs", MS_REMOUNT, "size=1m"), 0);
  }

 private:
  std::string path_;
  bool mounted_;
};

}  // namespace cedar::test

#endif  // CEDAR_TESTS_APP_SMALL_DISK_H_
