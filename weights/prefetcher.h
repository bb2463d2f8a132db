#ifndef CEDAR_WEIGHTS_PREFETCHER_H_
#define CEDAR_WEIGHTS_PREFETCHER_H_

// Brings parts of mapped files into the file cache before they are needed (rows of the Engram
// tables, experts), without waiting for the disk.

#include <cstdint>
#include <memory>
#include <span>

namespace cedar {

class Prefetcher {
 public:
  enum class Way {
    kBest,     // io_uring, if the system lets us: containers often do not
    kMadvise,  // system calls of our own, which wait where the disk's queue is full
  };

  explicit Prefetcher(Way way = Way::kBest);
  ~Prefetcher();

  bool uses_io_uring() const { return ring_ != nullptr; }

  // Parts that may be asked for ahead of their time without much delay for those that are asked for
  // after them and needed sooner.
  size_t room();

  // Starts to read the pages of these parts of mappings. Never fails: a part that was not fetched
  // is read when it is used. One thread at a time.
  void Fetch(std::span<const std::span<const uint8_t>> parts);

  // The same for parts of megabytes, by way of page faults: these put them on huge pages where the
  // file system can. Without io_uring they are left to the page faults of who uses them.
  void FetchLarge(std::span<const std::span<const uint8_t>> parts);

 private:
  class Ring;

  std::unique_ptr<Ring> ring_;
};

}  // namespace cedar

#endif  // CEDAR_WEIGHTS_PREFETCHER_H_
