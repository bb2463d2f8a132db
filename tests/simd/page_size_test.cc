#include "simd/page_size.h"

#include <gtest/gtest.h>

#include <cstring>
#include <sstream>
#include <string>
#include <vector>

#include "simd/memory.h"

namespace cedar::simd {
namespace {

using Part = std::span<const uint8_t>;

Part At(uintptr_t address, size_t bytes) {
  return {reinterpret_cast<const uint8_t*>(address), bytes};
}

// Three mappings side by side: 4 MB of a file on small and huge pages, 2 MB of memory on a huge
// page, 2 MB of explicit huge pages.
constexpr char kSmaps[] = R"(
7f0000000000-7f0000400000 r--s 00000000 08:01 1234   /models/model-00001-of-00002.safetensors
Size:               4096 kB
KernelPageSize:        4 kB
Rss:                3072 kB
AnonHugePages:         0 kB
FilePmdMapped:      2048 kB
VmFlags: rd sh mr mw me ms
7f0000400000-7f0000600000 rw-p 00000000 00:00 0
Rss:                2048 kB
AnonHugePages:      2048 kB
7f0000600000-7f0000800000 rw-p 00000000 00:00 0      /anon_hugepage (deleted)
Rss:                   0 kB
Private_Hugetlb:    2048 kB
)";

PageUse Of(const std::vector<Part>& parts) {
  std::istringstream smaps(kSmaps);
  return PagesOf(parts, smaps);
}

TEST(PageSizeTest, OnlyTheMappingsOfThePartsCount) {
  const PageUse file = Of({At(0x7f0000000010, 100)});
  EXPECT_EQ(file.bytes, 3072u << 10);
  EXPECT_EQ(file.huge_bytes, 2048u << 10);
  const PageUse memory = Of({At(0x7f0000400000, 1)});
  EXPECT_EQ(memory.bytes, 2048u << 10);
  EXPECT_EQ(memory.huge_bytes, 2048u << 10);
  const PageUse explicit_pages = Of({At(0x7f00007fffff, 1)});
  EXPECT_EQ(explicit_pages.bytes, 2048u << 10);
  EXPECT_EQ(explicit_pages.huge_bytes, 2048u << 10);
  EXPECT_EQ(Of({At(0x7f0000800000, 100)}).bytes, 0u);
}

TEST(PageSizeTest, APartMayLieInTwoMappings) {
  const PageUse use = Of({At(0x7f00003fffff, 2), At(0x7f0000000000, 5)});
  EXPECT_EQ(use.bytes, (3072u + 2048u) << 10);
}

TEST(PageSizeTest, ThePageIsThatOfMostOfTheMemory) {
  const size_t small = PageUse{}.page_size();
  EXPECT_GE(small, 4096u);
  EXPECT_LT(small, size_t{2} << 20);
  EXPECT_EQ((PageUse{100, 49}.page_size()), small);
  EXPECT_EQ((PageUse{100, 50}.page_size()), size_t{2} << 20);
}

TEST(PageSizeTest, ThisProcess) {
  const Memory memory(size_t{3} << 20, "test");
  std::memset(memory.data(), 1, memory.bytes());
  const Part part(memory.data(), memory.bytes());
  const auto use = PagesOf(std::vector<Part>{part});
  ASSERT_TRUE(use);
  EXPECT_GE(use->bytes, memory.bytes());  // its mapping is larger, if only mappings are told
  EXPECT_LE(use->huge_bytes, use->bytes);
}

TEST(PageSizeTest, PlacesThatNobodyTouchedHaveNoPages) {
  const Memory memory(size_t{8} << 20, "test");
  const Part part(memory.data(), memory.bytes());
  const auto before = PagesByPlaces(std::vector<Part>{part});
  if (!before) GTEST_SKIP() << "this kernel tells of whole mappings only";
  EXPECT_EQ(before->bytes, 0u);
  std::memset(memory.data(), 1, memory.bytes() / 2);
  const auto after = PagesByPlaces(std::vector<Part>{part});
  ASSERT_TRUE(after);
  EXPECT_EQ(after->bytes, memory.bytes() / 2);
}

// More places than are looked at: each part is there to a half.
TEST(PageSizeTest, LargeMemoryIsSampled) {
  const Memory memory(size_t{8} << 20, "test");
  std::memset(memory.data(), 1, memory.bytes() / 2);
  const std::vector<Part> parts(4099, Part(memory.data(), memory.bytes()));
  const auto use = PagesByPlaces(parts);
  if (!use) GTEST_SKIP() << "this kernel tells of whole mappings only";
  const double half = static_cast<double>(parts.size() * memory.bytes()) / 2;
  EXPECT_NEAR(static_cast<double>(use->bytes), half, half / 100);
}

}  // namespace
}  // namespace cedar::simd
