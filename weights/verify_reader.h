#ifndef CEDAR_WEIGHTS_VERIFY_READER_H_
#define CEDAR_WEIGHTS_VERIFY_READER_H_

// Reads files from end to end with all threads, looks at the values of tensors on the way, and sums
// up what is wanted.

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "simd/workers.h"
#include "weights/bad_values.h"
#include "weights/known_sums.h"
#include "weights/load_weights.h"
#include "weights/mapped_file.h"
#include "weights/safetensors.h"
#include "weights/sha256.h"

namespace cedar {

class VerifyReader {
 public:
  // A file is read if it has tensors to look at, or a sum to compare. Both must outlive this.
  void Add(const MappedFile& file, std::vector<const Tensor*> tensors,
           const std::optional<KnownSum>& sum);

  // The damages, in no order.
  std::vector<std::string> Run(const simd::Workers& workers, const LoadProgress& progress);

 private:
  using Clock = std::chrono::steady_clock;

  // A part of a file that one thread reads in order; all of it where a sum is wanted.
  struct Task {
    const MappedFile* file;
    std::vector<const Tensor*> tensors;  // those that begin or go on there, by place
    size_t at, end;
    std::optional<KnownSum> sum;
    std::optional<Sha256> sha;
    bool present = true;  // whether the part at `at` was in the file cache
  };

  void ReadUntil(Clock::time_point end, size_t worker);
  Task* TaskOf(size_t worker);
  static bool IsPresent(const Task& task, size_t at);
  void ReadPart(Task& task, uint8_t* to);
  void LookAtValues(const Task& task, std::span<const uint8_t> part, size_t size,
                    const uint8_t* data);
  void Finish(Task& task);
  void AddDamage(const std::string& damage);
  void AddBadValues();

  struct Bad {
    const MappedFile* file;
    BadValues values;  // `first`: byte of the file
  };

  std::vector<Task> tasks_;
  std::atomic<size_t> next_ = 0;
  std::vector<Task*> current_;  // of each worker
  std::vector<std::vector<uint8_t>> buffers_;
  size_t total_ = 0;
  std::atomic<size_t> done_ = 0;
  std::mutex mutex_;
  std::map<const Tensor*, Bad> bad_;
  std::vector<std::string> damages_;
};

}  // namespace cedar

#endif  // CEDAR_WEIGHTS_VERIFY_READER_H_
