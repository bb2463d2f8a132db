#include "simd/memory.h"

#include <gtest/gtest.h>
#include <linux/mempolicy.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstring>
#include <set>

#include "simd/nodes.h"

namespace cedar::simd {
namespace {

constexpr size_t kBytes = size_t{8} << 20;
constexpr unsigned long kMaskBits = 1024;

// What the system says of the memory at an address: its policy and the policy's nodes.
struct Policy {
  int mode = -1;
  unsigned long nodes[kMaskBits / (8 * sizeof(unsigned long))] = {};
};

bool GetPolicy(const uint8_t* address, Policy& policy) {
  return syscall(SYS_get_mempolicy, &policy.mode, policy.nodes, kMaskBits, address, MPOL_F_ADDR) ==
         0;
}

// The node that the page at an address lies on; -1 if nobody says.
int NodeOfPage(const uint8_t* address) {
  int node = -1;
  const long result = syscall(SYS_get_mempolicy, &node, nullptr, 0ul, address,
                              static_cast<unsigned long>(MPOL_F_NODE | MPOL_F_ADDR));
  return result == 0 ? node : -1;
}

// Some containers forbid it.
bool MaySetPolicy() {
  const Memory memory(kBytes, "a test");
  const unsigned long node = 1;
  return syscall(SYS_mbind, memory.data(), kBytes, MPOL_PREFERRED, &node, 64ul, 0u) == 0;
}

TEST(MemoryTest, IsZeroedAndAligned) {
  const Memory memory(kBytes + 1, "a test");
  EXPECT_EQ(reinterpret_cast<uintptr_t>(memory.data()) % (size_t{2} << 20), 0u);
  for (size_t i = 0; i <= kBytes; i += 4096) ASSERT_EQ(memory.data()[i], 0);
  EXPECT_EQ(memory.data()[kBytes], 0);
}

TEST(MemoryTest, AllOfItPrefersTheNode) {
  if (!MaySetPolicy()) GTEST_SKIP() << "nobody may say here where memory lies";
  const Memory memory(kBytes, "a test");
  PreferNode(memory, 0);
  for (const size_t at : {size_t{0}, kBytes / 2, kBytes - 1}) {
    Policy policy;
    ASSERT_TRUE(GetPolicy(memory.data() + at, policy));
    EXPECT_EQ(policy.mode, MPOL_PREFERRED);
    EXPECT_EQ(policy.nodes[0], 1u);
  }
}

TEST(MemoryTest, PagesLieOnTheNode) {
  std::set<int> nodes;
  for (const auto& [cpu, node] : NodesOfCpus()) nodes.insert(node);
  if (nodes.size() < 2) GTEST_SKIP() << "this machine has one node";
  if (!MaySetPolicy()) GTEST_SKIP() << "nobody may say here where memory lies";
  for (const int node : nodes) {
    const Memory memory(kBytes, "a test");
    PreferNode(memory, node);
    std::memset(memory.data(), 1, kBytes);
    for (size_t at = 0; at < kBytes; at += 4096) {
      ASSERT_EQ(NodeOfPage(memory.data() + at), node) << "offset " << at;
    }
  }
}

// What cannot be is a wish that is not granted.
TEST(MemoryTest, ANodeThatIsNotThere) {
  for (const int node : {62, 63, 1000, kAnyNode}) {
    const Memory memory(kBytes, "a test");
    PreferNode(memory, node);
    std::memset(memory.data(), 1, kBytes);
    EXPECT_EQ(memory.data()[kBytes - 1], 1);
  }
  PreferNode(Memory(), 0);
}

}  // namespace
}  // namespace cedar::simd
