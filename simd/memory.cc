#include "simd/memory.h"

#include <linux/mempolicy.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <optional>
#include <sstream>
#include <utility>

#include "simd/control_groups.h"
#include "simd/error.h"
#include "simd/quantities.h"

namespace cedar::simd {
namespace {

constexpr size_t kHugePage = size_t{2} << 20;

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

struct Space {
  size_t limit, left;
};

// What the limit of the address space (ulimit -v) leaves; nothing if there is none.
std::optional<Space> AddressSpace() {
  rlimit limit;
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return std::nullopt;
  std::ifstream file("/proc/self/statm");
  size_t pages = 0;
  file >> pages;
  const size_t used = pages * static_cast<size_t>(sysconf(_SC_PAGESIZE));
  return Space{limit.rlim_cur, limit.rlim_cur - std::min<size_t>(limit.rlim_cur, used)};
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
                what + ": the system refused " + FormatBytes(static_cast<double>(bytes)));
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

MemoryRoom RoomOfMemory() {
  MemoryRoom room;
  const auto take = [&](size_t left, size_t limit, const std::string& source) {
    if (!room.source.empty() && left >= room.bytes) return;
    room = {std::max<size_t>(left, 1), limit, source};
  };
  if (const size_t bytes = AvailableOnMachine()) take(bytes, 0, std::string(kMachineRoom));
  if (const auto group = ReadGroupLimits().memory) take(group->left, group->limit, group->file);
  if (const auto space = AddressSpace()) take(space->left, space->limit, std::string(kSpaceRoom));
  return room;
}

std::string RoomText(const MemoryRoom& room) {
  if (room.bytes == 0) return "an unknown amount of memory available here";
  const std::string bytes = FormatBytes(static_cast<double>(room.bytes));
  if (room.limit == 0) return bytes + " available here";
  return bytes + " left of the " + FormatBytes(static_cast<double>(room.limit)) + " of " +
         room.source;
}

size_t AvailableMemory() { return RoomOfMemory().bytes; }

}  // namespace cedar::simd
