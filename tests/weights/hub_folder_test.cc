#include "weights/hub_folder.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "simd/error.h"
#include "tests/temp_folder.h"
#include "weights/model_files.h"

namespace cedar {
namespace {

namespace fs = std::filesystem;

// A folder of the hub's cache with these snapshots, and refs/main unless it is "".
class HubFolder {
 public:
  HubFolder(const std::string& main, std::initializer_list<const char*> snapshots) {
    fs::create_directories(path() + "/snapshots");
    for (const char* name : snapshots) {
      fs::create_directory(path() + "/snapshots/" + name);
      test::WriteBytes(path() + "/snapshots/" + name + "/config.json", name);
    }
    fs::create_directory(path() + "/refs");
    if (!main.empty()) test::WriteBytes(path() + "/refs/main", main);
  }

  std::string path() const { return folder_ / "models--org--name"; }

  // What the config of the model says, or why there is none.
  std::string Config(const std::string& end = "") const {
    try {
      return std::string(ModelFiles::InDirectory(path() + end).Open(kConfigFile).text());
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kModel);
      const std::string text = error.what();
      return text.substr(std::min(text.size(), path().size()));
    }
  }

 private:
  test::TempFolder folder_;
};

TEST(HubFolderTest, StandsForTheSnapshotThatMainNames) {
  EXPECT_EQ(HubFolder("b", {"a", "b"}).Config(), "b");
  EXPECT_EQ(HubFolder("b\n", {"a", "b"}).Config("/"), "b");
}

TEST(HubFolderTest, StandsForTheOnlySnapshotWithoutMain) {
  EXPECT_EQ(HubFolder("", {"a"}).Config(), "a");
}

TEST(HubFolderTest, ASnapshotMayBeNamedItself) {
  EXPECT_EQ(HubFolder("b", {"a", "b"}).Config("/snapshots/a"), "a");
}

TEST(HubFolderTest, SaysWhatIsMissing) {
  EXPECT_EQ(HubFolder("", {}).Config(), "/snapshots: found 0 snapshots, expected one");
  EXPECT_EQ(HubFolder("", {"a", "b"}).Config(),
            "/snapshots: found 2 snapshots, expected one, or refs/main to choose by: name the "
            "snapshot's folder");
  EXPECT_EQ(HubFolder("c", {"a"}).Config(),
            "/refs/main: found revision 'c', of which there is no snapshot, expected a download "
            "that is complete");
  // The text of a file leads nowhere else.
  EXPECT_EQ(HubFolder("../snapshots/a", {"a"}).Config().substr(0, 18), "/refs/main: found ");
}

}  // namespace
}  // namespace cedar
