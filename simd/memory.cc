#include "simd/memory.h"

#include <linux/mempolicy.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <limits>
#include <sstream>
#include <utility>

#include "simd/error.h"

namespace cedar::simd {
namespace {

constexpr size_t kHugePage = size_t{2} << 20;
constexpr size_t kUnlimited = std::numeric_limits<size_t>::max();

// The number in a control group's file; unlimited if there is no such file or it says "max".
size_t ReadLimit(const std::string& path) {
  std::ifstream file(path);
  size_t value = 0;
  return file >> value ? value : kUnlimited;
}

// The file pages among what a control group has taken: the kernel drops them when it needs room.
size_t FilePages(const std::string& path) {
  std::ifstream file(path);
  std::string key;
  size_t value = 0, pages = 0;
  while (file >> key >> value) {
    if (key == "inactive_file" || key == "active_file") pages += value;
  }
  return pages;
}

// What the control group of this process, as mounted inside a container, still allows.
size_t LeftOfControlGroup() {
  const std::string v2 = "/sys/fs/cgroup/", v1 = "/sys/fs/cgroup/memory/";
  size_t limit = ReadLimit(v2 + "memory.max");
  size_t used = ReadLimit(v2 + "memory.current");
  size_t pages = FilePages(v2 + "memory.stat");
  if (limit == kUnlimited) {
    limit = ReadLimit(v1 + "memory.limit_in_bytes");
    used = ReadLimit(v1 + "memory.usage_in_bytes");
    pages = FilePages(v1 + "memory.stat");
  }
  if (limit == kUnlimited || used == kUnlimited) return kUnlimited;
  used -= std::min(used, pages);
  return limit > used ? limit - used : 0;
}

size_t AvailableOnMachine() {
  std::ifstream file("/proc/meminfo");
  std::string line;
  while (std::getline(file, line)) {
    std::istringstream words(line);
    std::string key;
    size_t kib = 0;
    if (words >> key >> kib && key == "MemAvailable:") return kib << 10;
  }
  return 0;
}

// The number of the last node that has memory: "0-1", "0,2" or "0".
unsigned long LastMemoryNode() {
  std::ifstream file("/sys/devices/system/node/has_memory");
  unsigned long node = 0;
  for (char separator = 0; file >> node; file >> separator) {
  }
  return node;
}

// Nodes that a mask of one word has room for.
constexpr unsigned long kMostNodes = 63;

// A wish as well. The C library has no function for it.
void SetPolicy(uint8_t* data, size_t bytes, int policy, unsigned long nodes) {
  syscall(SYS_mbind, data, bytes, policy, &nodes, kMostNodes + 1, 0);
}

void Interleave(uint8_t* data, size_t bytes) {
  const unsigned long last = LastMemoryNode();
  if (last == 0 || last > kMostNodes - 1) return;
  SetPolicy(data, bytes, MPOL_INTERLEAVE, (2ul << last) - 1);
}

}  // namespace

Memory::Memory(size_t bytes, const std::string& what, Placement placement) : bytes_(bytes) {
  if (bytes == 0) return;
  mapped_ = bytes + kHugePage;
  base_ = mapped_ < bytes ? MAP_FAILED
                          : mmap(nullptr, mapped_, PROT_READ | PROT_WRITE,
                                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (base_ == MAP_FAILED) {
    base_ = nullptr;
    throw Error(ErrorKind::kModel,
                what + ": the system refused " + std::to_string(bytes) + " bytes");
  }
  const uintptr_t address = reinterpret_cast<uintptr_t>(base_);
  data_ = reinterpret_cast<uint8_t*>((address + kHugePage - 1) / kHugePage * kHugePage);
  if (bytes >= kHugePage)
    madvise(data_, bytes, MADV_HUGEPAGE);  // a hint: without it all still works
  if (placement == Placement::kInterleaved) Interleave(data_, bytes);
}

Memory::~Memory() {
  if (base_ != nullptr) munmap(base_, mapped_);
}

Memory::Memory(Memory&& other) noexcept { *this = std::move(other); }

Memory& Memory::operator=(Memory&& other) noexcept {
  std::swap(base_, other.base_);
  std::swap(mapped_, other.mapped_);
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

void PreferNode(const Memory& memory, int node) {
  const unsigned long number = static_cast<unsigned long>(node);
  if (memory.bytes() == 0 || number >= kMostNodes) return;
  SetPolicy(memory.data(), memory.bytes(), MPOL_PREFERRED, 1ul << number);
}

size_t AvailableMemory() { return std::min(AvailableOnMachine(), LeftOfControlGroup()); }

}  // namespace cedar::simd
