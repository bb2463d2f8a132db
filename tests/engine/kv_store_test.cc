#include "engine/kv_store.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tests/temp_folder.h"

namespace cedar {
namespace {

using Page = std::vector<uint8_t>;

constexpr size_t kPageBytes = 200;
constexpr size_t kHeaderBytes = 40, kRecordBytes = 32 + kPageBytes;

PageKey KeyOfNumber(size_t number) { return {number * 0x9e3779b97f4a7c15u, number}; }

Page PageOfNumber(size_t number) {
  Page page(kPageBytes);
  for (size_t i = 0; i < page.size(); ++i) page[i] = static_cast<uint8_t>(7 * number + i);
  return page;
}

class KvStoreTest : public testing::Test {
 protected:
  KvStore Open(size_t most_bytes = size_t{1} << 20, const PageKey& model = {1, 2}) const {
    return KvStore({.directory = directory_,
                    .model = model,
                    .page_bytes = kPageBytes,
                    .most_bytes = most_bytes});
  }

  static void Append(KvStore& store, size_t number) {
    store.Append(KeyOfNumber(number), PageOfNumber(number).data());
    EXPECT_FALSE(store.failure()) << *store.failure();
  }
  // False when the page is not there; what is there must be right.
  static bool Loads(KvStore& store, size_t number) {
    Page page(kPageBytes);
    if (!store.Load(KeyOfNumber(number), page.data())) return false;
    EXPECT_EQ(page, PageOfNumber(number));
    return true;
  }

  std::vector<std::string> Files() const { return test::FilesIn(directory_); }
  size_t Bytes() const { return test::BytesIn(directory_); }

  const test::TempFolder folder_;
  const std::string directory_ = folder_ / "kv";
};

TEST_F(KvStoreTest, ALaterStoreFindsWhatWasAdded) {
  {
    KvStore store = Open();
    for (size_t i = 0; i < 3; ++i) Append(store, i);
    Append(store, 1);  // it is there already
    EXPECT_TRUE(Loads(store, 2));
  }
  EXPECT_EQ(Bytes(), kHeaderBytes + 3 * kRecordBytes);
  KvStore later = Open();
  for (size_t i = 0; i < 3; ++i) EXPECT_TRUE(Loads(later, i));
  EXPECT_FALSE(Loads(later, 3));
  EXPECT_EQ(later.damaged(), 0u);
}

// Wherever a bit flips, no page is read wrong; what is lost can be added again, and then stays.
TEST_F(KvStoreTest, AnyBitMayFlip) {
  {
    KvStore store = Open();
    for (size_t i = 0; i < 2; ++i) Append(store, i);
  }
  const std::string file = Files().at(0), whole = test::ReadBytes(file);
  for (size_t at = 0; at < whole.size(); ++at) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << at % 8));
    test::WriteBytes(file, damaged);
    {
      KvStore store = Open();
      const bool first = Loads(store, 0), second = Loads(store, 1);
      EXPECT_EQ(first, at >= kHeaderBytes + kRecordBytes) << at;
      EXPECT_EQ(second, at >= kHeaderBytes && at < kHeaderBytes + kRecordBytes) << at;
      for (size_t i = 0; i < 2; ++i) Append(store, i);
    }
    KvStore later = Open();
    for (size_t i = 0; i < 2; ++i) EXPECT_TRUE(Loads(later, i)) << at;
    for (const std::string& other : Files()) {
      if (other != file) std::filesystem::remove(other);
    }
  }
}

TEST_F(KvStoreTest, AFileMayEndAnywhere) {
  {
    KvStore store = Open();
    for (size_t i = 0; i < 2; ++i) Append(store, i);
  }
  const std::string file = Files().at(0), whole = test::ReadBytes(file);
  for (size_t size = 0; size < whole.size(); ++size) {
    test::WriteBytes(file, whole.substr(0, size));
    KvStore store = Open();
    EXPECT_EQ(Loads(store, 0), size >= kHeaderBytes + kRecordBytes) << size;
    EXPECT_FALSE(Loads(store, 1)) << size;
  }
}

TEST_F(KvStoreTest, IsNeverOverItsCapAndKeepsTheNewest) {
  constexpr size_t kCap = 64 * kRecordBytes;
  // As long as several files, so that the next one finds some of each.
  constexpr size_t kOneStore = 30;
  for (size_t i = 0; i < 510;) {
    KvStore store = Open(kCap);
    for (const size_t end = i + kOneStore; i < end; ++i) {
      Append(store, i);
      ASSERT_LE(Bytes(), kCap) << i;
    }
  }
  // Of eight files two are room for what grows, and one is as good as gone.
  KvStore later = Open(kCap);
  for (size_t i = 0; i < 510; ++i) {
    const bool found = Loads(later, i);
    EXPECT_TRUE(found || i < 510 - 32) << i;
    EXPECT_FALSE(found && i < 510 - 64) << i;
  }
}

TEST_F(KvStoreTest, TwoStoresKeepOneCap) {
  constexpr size_t kCap = 64 * kRecordBytes;
  // Of two models, which know nothing of each other.
  KvStore a = Open(kCap), b = Open(kCap, {3, 4});
  for (size_t i = 0; i < 300; ++i) {
    Append(i % 3 == 0 ? a : b, i);
    ASSERT_LE(Bytes(), kCap) << i;
  }
  EXPECT_TRUE(Loads(a, 297));
  EXPECT_TRUE(Loads(b, 299));
}

TEST_F(KvStoreTest, AnotherModelFindsNothing) {
  KvStore store = Open();
  Append(store, 0);
  KvStore other = Open(size_t{1} << 20, {1, 3});
  EXPECT_FALSE(Loads(other, 0));
  EXPECT_EQ(other.damaged(), 0u);
}

TEST_F(KvStoreTest, OtherFilesOfTheDirectoryStay) {
  std::filesystem::create_directory(directory_);
  const std::string mine = directory_ + "/notes.kv";
  test::WriteBytes(mine, std::string(5000, 'x'));
  KvStore store = Open(10 * kRecordBytes);
  for (size_t i = 0; i < 40; ++i) Append(store, i);
  EXPECT_EQ(test::ReadBytes(mine), std::string(5000, 'x'));
}

}  // namespace
}  // namespace cedar
