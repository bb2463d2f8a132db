#include "weights/prefetcher.h"

#include <liburing.h>
#include <sys/mman.h>

#include <algorithm>

#include "weights/mapped_file.h"

namespace cedar {
namespace {

constexpr unsigned kEntries = 1024;    // requests that are handed over together, at most
constexpr unsigned kMost = 1u << 15;   // that the kernel is still busy with
constexpr unsigned kAhead = 1u << 14;  // of them, those that nobody needs yet

}  // namespace

// The requests are madvise() calls, which the kernel's own threads make for us. Reads would be
// tried by the submitting thread first, and thousands of them wait for the disk's queue.
class Prefetcher::Ring {
 public:
  static std::unique_ptr<Ring> Make() {
    auto made = std::make_unique<Ring>();
    io_uring_params params{};
    params.flags = IORING_SETUP_CQSIZE;
    params.cq_entries = kMost;
    made->open_ = io_uring_queue_init_params(kEntries, &made->ring_, &params) == 0;
    return made->open_ ? std::move(made) : nullptr;
  }
  ~Ring() {
    if (open_) io_uring_queue_exit(&ring_);
  }

  // Requests that the kernel is busy with.
  unsigned busy() {
    ForgetCompleted();
    return busy_;
  }

  // False if there is no room, not even after handing over what is queued.
  bool Queue(std::span<uint8_t> pages, int advice) {
    if (busy_ == kMost && busy() == kMost) return false;
    io_uring_sqe* request = io_uring_get_sqe(&ring_);
    if (request == nullptr && Submit()) request = io_uring_get_sqe(&ring_);
    if (request == nullptr) return false;
    io_uring_prep_madvise(request, pages.data(), static_cast<off_t>(pages.size()), advice);
    ++busy_;
    return true;
  }

  // Hands over what is queued. The kernel may want room for results first.
  bool Submit() {
    ForgetCompleted();
    if (io_uring_submit(&ring_) >= 0) return true;
    ForgetCompleted();
    return io_uring_submit(&ring_) >= 0;
  }

 private:
  void ForgetCompleted() {
    unsigned head = 0, count = 0;
    io_uring_cqe* completed = nullptr;
    io_uring_for_each_cqe(&ring_, head, completed)++ count;
    io_uring_cq_advance(&ring_, count);
    busy_ -= count;
  }

  io_uring ring_{};
  unsigned busy_ = 0;
  bool open_ = false;
};

Prefetcher::Prefetcher(Way way) : ring_(way == Way::kBest ? Ring::Make() : nullptr) {}

Prefetcher::~Prefetcher() = default;

size_t Prefetcher::room() {
  // What we ask for ourselves may have to wait for the disk: little at a time.
  if (ring_ == nullptr) return kEntries;
  return kAhead - std::min(kAhead, ring_->busy());
}

void Prefetcher::Fetch(std::span<const std::span<const uint8_t>> parts) {
  for (const std::span<const uint8_t> part : parts) {
    if (part.empty()) continue;
    if (ring_ == nullptr || !ring_->Queue(PagesAround(part), MADV_WILLNEED)) StartReading(part);
  }
  if (ring_ != nullptr) ring_->Submit();
}

void Prefetcher::FetchLarge(std::span<const std::span<const uint8_t>> parts) {
  if (ring_ == nullptr) return;
  for (const std::span<const uint8_t> part : parts) {
    if (!part.empty()) ring_->Queue(PagesAround(part), MADV_POPULATE_READ);
  }
  ring_->Submit();
}

}  // namespace cedar
