#ifndef CEDAR_TESTS_SIMD_GUARDED_BYTES_H_
#define CEDAR_TESTS_SIMD_GUARDED_BYTES_H_

// Bytes that end right before a page nobody may touch: reading beyond the last one faults.

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "simd/error.h"

namespace cedar {

class GuardedBytes {
 public:
  // A copy of `bytes` with `slack` more readable bytes behind it, which shift its alignment.
  explicit GuardedBytes(const std::vector<uint8_t>& bytes, size_t slack = 0) {
    constexpr size_t kPage = 65536;  // at least the page size of any machine
    size_ = (bytes.size() + slack + kPage - 1) / kPage * kPage + kPage;
    base_ = mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CEDAR_CHECK(base_ != MAP_FAILED);
    uint8_t* guard = static_cast<uint8_t*>(base_) + size_ - kPage;
    data_ = guard - slack - bytes.size();
    if (!bytes.empty()) std::memcpy(data_, bytes.data(), bytes.size());
    CEDAR_CHECK(mprotect(guard, kPage, PROT_NONE) == 0);
  }
  ~GuardedBytes() { munmap(base_, size_); }
  GuardedBytes(const GuardedBytes&) = delete;
  GuardedBytes& operator=(const GuardedBytes&) = delete;

  const uint8_t* data() const { return data_; }
  uint8_t* data() { return data_; }

 private:
  void* base_;
  size_t size_;
  uint8_t* data_;
};

}  // namespace cedar

#endif  // CEDAR_TESTS_SIMD_GUARDED_BYTES_H_
