#include "app/file_pattern.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "tests/temp_folder.h"

namespace cedar {
namespace {

using test::TempFolder;

class FilePatternTest : public testing::Test {
 protected:
  FilePatternTest() {
    for (const char* name : {"sub/deep", ".hidden", "year [2019]"}) {
      std::filesystem::create_directories(folder_ / name);
    }
    for (const char* name : {"a.txt", "a1.txt", "a[1].txt", "b.md", "c{1,2}.txt", ".dot.txt",
                             "sub/s.txt", "sub/deep/d.txt", ".hidden/h.txt", "year [2019]/y.txt"}) {
      folder_.Write(name, name);
    }
    EXPECT_EQ(symlink((folder_ / "sub").c_str(), (folder_ / "link").c_str()), 0);
  }

  // The paths that match, below the folder.
  std::vector<std::string> Find(const std::string& pattern) const {
    std::vector<std::string> found = FindFiles(folder_ / pattern);
    for (std::string& path : found) path = path.substr(folder_.path().size() + 1);
    return found;
  }

  TempFolder folder_;
};

using Names = std::vector<std::string>;

TEST_F(FilePatternTest, StarsQuestionMarksAndRanges) {
  EXPECT_EQ(Find("*.txt"), (Names{"a.txt", "a1.txt", "a[1].txt", "c{1,2}.txt"}));
  EXPECT_EQ(Find("a?.txt"), Names{"a1.txt"});
  EXPECT_EQ(Find("[ab].*"), (Names{"a.txt", "b.md"}));
  EXPECT_EQ(Find("[!a]*"), (Names{"b.md", "c{1,2}.txt", "link", "sub", "year [2019]"}));
  EXPECT_EQ(Find("*/s.txt"), (Names{"link/s.txt", "sub/s.txt"}));
  EXPECT_EQ(Find("none*"), Names{});
  EXPECT_EQ(Find("a.txt/*"), Names{});
}

TEST_F(FilePatternTest, HiddenFilesAreSpelledOut) {
  EXPECT_EQ(Find(".*"), (Names{".dot.txt", ".hidden"}));
  EXPECT_EQ(Find(".hidden/*"), Names{".hidden/h.txt"});
}

TEST_F(FilePatternTest, TwoStarsAreFoldersAtAnyDepth) {
  EXPECT_EQ(Find("**/*.txt"), (Names{"a.txt", "a1.txt", "a[1].txt", "c{1,2}.txt", "sub/deep/d.txt",
                                     "sub/s.txt", "year [2019]/y.txt"}));
  EXPECT_EQ(Find("sub/**"), (Names{"sub/deep/d.txt", "sub/s.txt"}));
  EXPECT_EQ(Find("link/**/d.txt"), Names{"link/deep/d.txt"});
  EXPECT_EQ(Find("**/deep/*"), Names{"sub/deep/d.txt"});
}

TEST_F(FilePatternTest, BracesAreEither) {
  EXPECT_EQ(Find("{a,b,x}.{txt,md}"), (Names{"a.txt", "b.md"}));
  EXPECT_EQ(Find("{sub/{s,deep/d},a}.txt"), (Names{"a.txt", "sub/deep/d.txt", "sub/s.txt"}));
  EXPECT_EQ(Find("**/*.{txt,t*t}").size(), 7u);
  EXPECT_EQ(Find("{a}.txt"), Names{});
}

TEST_F(FilePatternTest, ANameThatIsThereIsMeant) {
  EXPECT_EQ(Find("a[1].txt"), Names{"a[1].txt"});
  EXPECT_EQ(Find("c{1,2}.txt"), Names{"c{1,2}.txt"});
  EXPECT_EQ(Find("year [2019]/*"), Names{"year [2019]/y.txt"});
  EXPECT_EQ(Find("a\\[1].txt"), Names{"a[1].txt"});
  EXPECT_EQ(Find("sub/"), Names{"sub/"});
}

TEST_F(FilePatternTest, PathsMayBeRelative) {
  EXPECT_EQ(FindFiles(""), Names{});
  EXPECT_TRUE(FindFiles("./no such folder/*").empty());
}

}  // namespace
}  // namespace cedar
