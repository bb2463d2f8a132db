// No file of a batch is another one of it, however it is called; nothing is opened before that is
// known.

#include "app/files_apart.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "app/same_file.h"
#include "simd/error.h"
#include "tests/app/batch_lines.h"
#include "tests/app/run_process.h"
#include "tests/temp_folder.h"

namespace cedar::test {
namespace {

namespace fs = std::filesystem;

TEST(SameFileTest, LinksAndSpellingsLeadToOneFile) {
  const TempFolder folder;
  const std::string file = folder.Write("file", "x"), other = folder.Write("other", "x");
  fs::create_symlink("file", folder / "soft");
  fs::create_hard_link(file, folder / "hard");
  fs::create_directory_symlink(folder.path(), folder / "around");
  for (const char* name : {"file", "soft", "hard", "around/file", "./around/./soft"}) {
    EXPECT_TRUE(IsSameFile(folder / name, file)) << name;
    EXPECT_FALSE(IsSameFile(folder / name, other)) << name;
  }
}

TEST(SameFileTest, FilesToBeMadeAreOnePlaceToo) {
  const TempFolder folder;
  fs::create_symlink("new", folder / "dangling");
  fs::create_directory_symlink(folder.path(), folder / "around");
  EXPECT_TRUE(IsSameFile(folder / "new", folder / "dangling"));
  EXPECT_TRUE(IsSameFile(folder / "new", folder / "around/new"));
  EXPECT_TRUE(IsSameFile(folder / "new", folder / "./new"));
  EXPECT_FALSE(IsSameFile(folder / "new", folder / "newer"));
  EXPECT_FALSE(IsSameFile(folder / "new", folder / "no/new"));
}

TEST(SameFileTest, DevicesMayBeShared) { EXPECT_FALSE(IsSameFile("/dev/null", "/dev/null")); }

class FilesApartTest : public testing::Test {
 protected:
  void SetUp() override {
    in_ = folder_.Write("in.jsonl", BatchLine("a", Question("How many?")));
    fs::create_symlink("in.jsonl", folder_ / "soft");
    fs::create_hard_link(in_, folder_ / "hard");
    fs::create_symlink("out.jsonl", folder_ / "dangling");
    input_ = ReadBytes(in_);
  }

  // The run ends with 2 and names the option; the input is as it was, and nothing was made.
  void ExpectRefused(const std::vector<std::string>& options, const std::string& message,
                     const ProcessOptions& process = {}) {
    const std::vector<std::string> before = FilesIn(folder_.path());
    std::vector<std::string> all = {"batch", "demo"};
    all.insert(all.end(), options.begin(), options.end());
    const ProcessResult result = RunCedar(all, process);
    EXPECT_EQ(result.exit_code, 2) << message;
    EXPECT_EQ(result.err.rfind("cedar: " + message, 0), 0u) << result.err;
    EXPECT_EQ(ReadBytes(in_), input_);
    EXPECT_EQ(FilesIn(folder_.path()), before);
  }

  TempFolder folder_;
  std::string in_, input_;
};

TEST_F(FilesApartTest, NoOutputIsTheInput) {
  const std::string out = folder_ / "out.jsonl";
  for (const char* name : {"in.jsonl", "soft", "hard", "./in.jsonl"}) {
    const std::string path = folder_ / name;
    const std::string which = ": found \"" + path + "\", which is the file of -i";
    ExpectRefused({"-i", in_, "-o", path}, "-o" + which);
    ExpectRefused({"-i", in_, "-o", path, "--no-resume"}, "-o" + which);
    for (const std::string option : {"-e", "--summary", "--metrics"}) {
      ExpectRefused({"-i", in_, "-o", out, option, path}, option + which);
    }
  }
}

TEST_F(FilesApartTest, NoOutputIsAnother) {
  const std::string out = folder_ / "out.jsonl";
  for (const char* name : {"out.jsonl", "dangling"}) {
    for (const std::string option : {"-e", "--summary", "--metrics"}) {
      ExpectRefused({"-i", in_, "-o", out, option, folder_ / name},
                    option + ": found \"" + (folder_ / name) + "\", which is the file of -o");
    }
  }
}

// What is made beside a file must not take the place of another one.
TEST_F(FilesApartTest, NamesThatAreNeededOnTheWay) {
  const std::string out = folder_ / "out.jsonl";
  ExpectRefused({"-i", in_, "-o", out, "-e", out + "~"},
                "-e: found \"" + out + "~\", which -o needs beside \"" + out + "\"");
  ExpectRefused({"-i", in_, "-o", out + ".part", "--metrics", out},
                "-o: found \"" + out + ".part\", which --metrics needs beside \"" + out + "\"");
}

TEST_F(FilesApartTest, StandardFilesMayLeadToTheInput) {
  ExpectRefused({"-i", in_, "-o", "-"}, "-o: found \"-\", which is the file of -i",
                {.out_path = folder_ / "hard"});
}

TEST_F(FilesApartTest, NoOutputIsAFileOfTheModelOrOfTheCache) {
  fs::create_directory(folder_ / "model");
  fs::create_directory(folder_ / "cache");
  const std::string config = folder_.Write("model/config.json", "{}");
  const std::string page = folder_.Write("cache/0-0.kv", "x");
  const std::vector<std::string> arguments = {"batch", folder_ / "model", "-i", in_, "-o"};
  std::vector<std::string> all = arguments;
  all.insert(all.end(), {folder_ / "out", "--summary", config});
  const ProcessResult result = RunCedar(all);
  EXPECT_EQ(result.exit_code, 2) << result.err;
  EXPECT_NE(result.err.find("which is a file of the model"), std::string::npos) << result.err;
  EXPECT_EQ(ReadBytes(config), "{}");
  ExpectRefused({"-i", in_, "-o", page, "--cache-dir", folder_ / "cache"},
                "-o: found \"" + page + "\", which is a file of --cache-dir");
  const std::string both = folder_ / "both";
  ExpectRefused({"-i", in_, "-o", both, "--cache-dir", both},
                "-o: found \"" + both + "\", which is the folder of --cache-dir");
}

TEST_F(FilesApartTest, DevicesMayBeShared) {
  EXPECT_EQ(RunCedar({"batch", "demo", "-i", in_, "-o", "/dev/null", "-e", "/dev/null", "--summary",
                      "/dev/null"})
                .exit_code,
            0);
}

}  // namespace
}  // namespace cedar::test
