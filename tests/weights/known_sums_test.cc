#include "weights/known_sums.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "simd/error.h"
#include "tests/temp_folder.h"
#include "weights/bad_values.h"
#include "weights/sha256.h"

namespace cedar {
namespace {

const std::string kA(64, 'a'), kB(64, 'b');

std::span<const uint8_t> BytesOf(const std::string& text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

// The sums that FIPS 180-4 gives, in one part and in many.
TEST(Sha256Test, KnownAnswers) {
  Sha256 sha;
  EXPECT_EQ(sha.Finish(), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  sha.Add(BytesOf("abc"));
  EXPECT_EQ(sha.Finish(), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  const std::string thousand(1000, 'a');
  for (int i = 0; i < 1000; ++i) sha.Add(BytesOf(thousand));
  EXPECT_EQ(sha.Finish(), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

class KnownSumsTest : public testing::Test {
 protected:
  std::string Find(const KnownSums& sums, const std::string& name) const {
    const auto sum = sums.Find(ModelFiles::InDirectory(model_.path()), name);
    return sum ? sum->sha256 : "none";
  }
  std::string FindInList(const std::string& list, const std::string& name) const {
    return Find(KnownSums::Read(beside_.Write("list", list)), name);
  }
  std::string Refusal(const std::string& list) const {
    try {
      KnownSums::Read(beside_.Write("list", list));
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kInput);
      return error.what();
    }
    return "it reads";
  }

  test::TempFolder model_, beside_;
};

TEST_F(KnownSumsTest, EveryWayToWriteALine) {
  const std::string capitals(64, 'A');
  for (const std::string& line :
       {kA + "  x", kA + " *x", kA + "  ./x", kA + "  folder/x", kA + "  /a/b/x", kA + " * x",
        kA + " - x", capitals + "  x", "SHA256 (x) = " + kA, "SHA256 (./x) = " + kA}) {
    EXPECT_EQ(FindInList(line + "\n", "x"), kA) << line;
    EXPECT_EQ(FindInList("# a comment\r\n\r\n" + line + "\r\n", "x"), kA) << line;
  }
  EXPECT_EQ(FindInList("\\" + kA + "  a\\\\b\\nc\n", "a\\b\nc"), kA);
  EXPECT_EQ(FindInList(kA + "  with two  spaces\n", "with two  spaces"), kA);
  EXPECT_EQ(FindInList(kA + "  x\n", "y"), "none");
}

TEST_F(KnownSumsTest, OneOfSeveralFilesOfAName) {
  EXPECT_EQ(FindInList(kB + "  inference/x\n" + kA + "  x\n", "x"), kA);
  EXPECT_THROW(FindInList(kB + "  one/x\n" + kA + "  two/x\n", "x"), Error);
  EXPECT_NE(Refusal(kB + "  x\n" + kA + "  x\n").find("two sums of 'x'"), std::string::npos);
}

TEST_F(KnownSumsTest, WhatIsNoList) {
  EXPECT_NE(Refusal(kA + "  x\nhello\n").find("list: line 2: found 'hello'"), std::string::npos);
  EXPECT_NE(Refusal(std::string(32, 'a') + "  x\n").find("line 1"), std::string::npos);
  EXPECT_NE(Refusal("").find("no sums"), std::string::npos);
  EXPECT_THROW(KnownSums::Read(beside_ / "nothing"), Error);
  EXPECT_THROW(KnownSums::Read(model_.path()), Error);  // a folder without pointers
}

TEST_F(KnownSumsTest, PointersOfGitLfs) {
  const std::string pointer =
      "version https://git-lfs.github.com/spec/v1\noid sha256:" + kA + "\nsize 12\n";
  beside_.Write("x", pointer);
  beside_.Write("y", "no pointer");
  EXPECT_EQ(Find(KnownSums::Read(beside_ / "x"), "x"), kA);
  EXPECT_EQ(Find(KnownSums::Read(beside_.path()), "x"), kA);
  EXPECT_EQ(Find(KnownSums::Read(beside_.path()), "y"), "none");
}

TEST_F(KnownSumsTest, WhatTheDownloaderNoted) {
  std::filesystem::create_directories(model_ / ".cache/huggingface/download");
  model_.Write(".cache/huggingface/download/x.metadata", "0123\n" + kA + "\n1.5\n");
  model_.Write(".cache/huggingface/download/y.metadata", "0123\n" + std::string(40, 'c') + "\n1\n");
  EXPECT_EQ(Find({}, "x"), kA);
  EXPECT_EQ(Find({}, "y"), "none");
  EXPECT_EQ(FindInList(kB + "  x\n", "x"), kB);  // who gives a list means it
}

TEST(BadValuesTest, EveryCode) {
  for (int code = 0; code < 256; ++code) {
    for (const size_t place : {0, 7, 8, 63, 64, 70}) {
      std::string bytes(71, '\0');
      bytes[place] = static_cast<char>(code);
      const BadValues fp8 = FindBadValues(DType::kFp8E4m3, BytesOf(bytes));
      EXPECT_EQ(fp8.count, code == 0x7F || code == 0xFF ? 1u : 0u) << code;
      const BadValues scale = FindBadValues(DType::kE8m0, BytesOf(bytes));
      EXPECT_EQ(scale.count, code == 0xFF ? 1u : 0u) << code;
      EXPECT_EQ(scale.first, scale.count > 0 ? place : 0);
    }
  }
  for (int code = 0; code < 65536; ++code) {
    std::string bytes(140, '\0');
    bytes[100] = static_cast<char>(code);
    bytes[101] = static_cast<char>(code >> 8);
    const bool bad = (code & 0x7F80) == 0x7F80;
    EXPECT_EQ(FindBadValues(DType::kBf16, BytesOf(bytes)).count, bad ? 1u : 0u) << code;
    bytes[102] = bytes[100], bytes[103] = bytes[101];
    EXPECT_EQ(FindBadValues(DType::kF32, BytesOf(bytes)).count, bad ? 1u : 0u) << code;
  }
}

TEST(BadValuesTest, AllOfThem) {
  const std::string bytes(1000, '\x7F');
  const BadValues bad = FindBadValues(DType::kFp8E4m3, BytesOf(bytes));
  EXPECT_EQ(bad.count, 1000u);
  EXPECT_EQ(bad.first, 0u);
  EXPECT_EQ(BadValueText(DType::kFp8E4m3, bad.code), "NaN (0x7f)");
}

}  // namespace
}  // namespace cedar
