#ifndef CEDAR_SIMD_MEMORY_H_
#define CEDAR_SIMD_MEMORY_H_

// Large blocks of memory from the operating system: zeroed, 2 MB aligned, on huge pages where they
// are to be had. Pages take up room when they are first written.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace cedar::simd {

enum class Placement {
  kLocal,        // each page near the thread that writes it first
  kInterleaved,  // spread over the memory of all sockets, for what all threads read
};

class Memory {
 public:
  Memory() = default;
  // Throws Error (kModel) naming `what` and the bytes when the system refuses.
  Memory(size_t bytes, const std::string& what, Placement placement = Placement::kLocal);
  ~Memory();
  Memory(Memory&& other) noexcept;
  Memory& operator=(Memory&& other) noexcept;

  uint8_t* data() const { return data_; }
  size_t bytes() const { return bytes_; }

 private:
  void* base_ = nullptr;  // what was mapped; data_ lies inside, aligned
  size_t mapped_ = 0;
  uint8_t* data_ = nullptr;
  size_t bytes_ = 0;
};

// From now on, pages that are written for the first time are taken from this node (simd/nodes.h) as
// long as it has some. A wish: when the system refuses, each lies near its first writer.
void PreferNode(const Memory& memory, int node);

// What this process can still take without swapping, and who says so.
struct MemoryRoom {
  size_t bytes = 0;    // 0 if nobody says, else at least 1
  size_t limit = 0;    // that leaves them; 0 for the machine itself
  std::string source;  // kMachineRoom, kSpaceRoom or the file of a control group's limit
};
inline constexpr std::string_view kMachineRoom = "/proc/meminfo";
inline constexpr std::string_view kSpaceRoom = "ulimit -v";

// The least of what the machine has available (pages of files that the kernel can drop are), what
// the limits of control groups leave (simd/control_groups.h) and what that of the address space
// does.
MemoryRoom RoomOfMemory();

// Its bytes.
size_t AvailableMemory();

// "24.4 GB available here", "7.90 GB left of the 8.00 GB of /sys/fs/cgroup/a/memory.max".
std::string RoomText(const MemoryRoom& room);

}  // namespace cedar::simd

#endif  // CEDAR_SIMD_MEMORY_H_
