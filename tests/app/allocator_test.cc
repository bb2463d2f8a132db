// Part of the tests of the release build alone, which links mimalloc.

#include <gtest/gtest.h>
#include <mimalloc.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>

namespace cedar {
namespace {

TEST(AllocatorTest, MimallocServesMalloc) {
  const std::unique_ptr<void, decltype(&std::free)> zeros(std::calloc(100, 8), &std::free);
  EXPECT_TRUE(mi_is_in_heap_region(zeros.get()));
  const std::unique_ptr<void, decltype(&std::free)> grown(std::realloc(nullptr, 640), &std::free);
  std::memset(grown.get(), 1, 640);
  EXPECT_TRUE(mi_is_in_heap_region(grown.get()));
}

TEST(AllocatorTest, MimallocServesNew) {
  const auto bytes = std::make_unique<int>(1);
  EXPECT_TRUE(mi_is_in_heap_region(bytes.get()));
  const auto array = std::make_unique<char[]>(1 << 20);
  EXPECT_TRUE(mi_is_in_heap_region(array.get()));
  struct alignas(64) Line {
    char bytes[64];
  };
  const auto line = std::make_unique<Line>();
  EXPECT_TRUE(mi_is_in_heap_region(line.get()));
}

TEST(AllocatorTest, AStackAddressIsNotOfItsHeap) {
  const int local = 0;
  EXPECT_FALSE(mi_is_in_heap_region(&local));
}

}  // namespace
}  // namespace cedar
