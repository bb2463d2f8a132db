#include "engine/cold_experts.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "tests/temp_folder.h"
#include "weights/mapped_file.h"
#include "weights/matrix_bytes.h"

namespace cedar {
namespace {

constexpr size_t kInner = 512, kHidden = 1024;  // matrices of 64 pages and more

// An FP4 matrix at `at`, which moves on to the page after it and one more.
WeightMatrix Place(const uint8_t*& at, size_t rows, size_t cols) {
  constexpr size_t kPage = 4096;
  WeightMatrix matrix{.format = Format::kFp4, .rows = rows, .cols = cols, .data = at};
  matrix.scales = at + MatrixBytes(matrix) - ScaleBytes(matrix);
  at += (MatrixBytes(matrix) / kPage + 2) * kPage;
  return matrix;
}

std::vector<std::span<const uint8_t>> PartsOf(const ExpertWeights& w) {
  return {{w.w1.data, MatrixBytes(w.w1)},
          {w.w3.data, MatrixBytes(w.w3)},
          {w.w2.data, MatrixBytes(w.w2)}};
}

// Waits until all of the expert is in the cache; false after half a minute.
bool Comes(const ExpertWeights& w) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  for (const std::span<const uint8_t> part : PartsOf(w)) {
    while (MayBeAbsent(part)) {
      if (std::chrono::steady_clock::now() > end) return false;
      std::this_thread::yield();
    }
  }
  return true;
}

// Those that the router has chosen come into the cache before anybody uses them; others stay where
// they are.
TEST(ColdExpertsTest, ComeIntoTheCache) {
  const test::TempFolder folder;
  test::WriteBytes(folder / "experts", std::string(size_t{6} << 20, 'x'));
  test::DropFromCache(folder / "experts");
  const MappedFile file = MappedFile::Map(folder / "experts");
  AdviseRandomAccess(file.bytes());  // or the kernel reads more than it was asked for
  if (!MayBeAbsent(file.bytes().subspan(0, 1))) {
    GTEST_SKIP() << "the cache of this file system cannot be emptied";
  }
  MoeWeights w;
  w.routed.resize(3);
  const uint8_t* at = file.bytes().data();
  for (ExpertWeights* expert : {&w.routed[0], &w.routed[1], &w.routed[2], &w.shared}) {
    *expert = {Place(at, kInner, kHidden), Place(at, kInner, kHidden), Place(at, kHidden, kInner)};
  }
  ASSERT_LT(at, file.bytes().data() + file.bytes().size());

  const Step step(std::vector<Segment>{{.count = 1, .kind = RowKind::kGenerated}});
  const int32_t ids[] = {2, 0};
  const float weights[] = {1, 1};
  Prefetcher prefetcher;
  if (!prefetcher.uses_io_uring()) GTEST_SKIP() << "no io_uring here: page faults fetch them";
  ColdExperts cold;
  cold.StartReading({w, ids, weights, 2, step}, prefetcher);
  EXPECT_TRUE(Comes(w.routed[0]));
  EXPECT_TRUE(Comes(w.routed[2]));
  EXPECT_TRUE(Comes(w.shared));
  for (const std::span<const uint8_t> part : PartsOf(w.routed[1])) {
    EXPECT_EQ(BytesPresent(part), 0u);
  }
}

}  // namespace
}  // namespace cedar
