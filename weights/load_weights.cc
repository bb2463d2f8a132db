#include "weights/load_weights.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <span>
#include <string>
#include <vector>

#include "simd/error.h"
#include "weights/bind_model.h"
#include "weights/checkpoint_source.h"
#include "weights/matrix_bytes.h"
#include "weights/tensor_names.h"

namespace cedar {
namespace {

// Bytes that one thread reads at a time: many enough for any disk.
constexpr size_t kBlock = size_t{8} << 20;
// Between two reports of progress.
constexpr std::chrono::milliseconds kReport(100);
// Every matrix begins with a cache line.
constexpr size_t kAlignment = 64;

struct Copy {
  std::span<const uint8_t> from;
  uint8_t* to;
};

// Hands out matrices that will lie in memory from `to` on, and notes what must be copied for that.
// With to = nullptr it only counts.
class CopyingSource : public TensorSource {
 public:
  CopyingSource(const Checkpoint& checkpoint, uint8_t* to) : mapped_(checkpoint), to_(to) {}

  WeightMatrix Matrix(const std::string& name, size_t rows, size_t cols, Format released,
                      Storage storage) override {
    WeightMatrix matrix = mapped_.Matrix(name, rows, cols, released, storage);
    if (name == tensor_names::kEmbed) return matrix;
    const size_t scales = ScaleBytes(matrix);
    matrix.data = Place({matrix.data, MatrixBytes(matrix) - scales});
    if (scales > 0) matrix.scales = Place({matrix.scales, scales});
    return matrix;
  }
  std::vector<float> Floats(const std::string& name, const std::vector<size_t>& shape) override {
    return mapped_.Floats(name, shape);
  }
  EngramTable Table(const std::string& name, size_t rows, size_t head_dim) override {
    return mapped_.Table(name, rows, head_dim);
  }

  size_t bytes() const { return bytes_; }
  const std::vector<Copy>& copies() const { return copies_; }

 private:
  const uint8_t* Place(std::span<const uint8_t> from) {
    uint8_t* const to = to_ == nullptr ? nullptr : to_ + bytes_;
    bytes_ += (from.size() + kAlignment - 1) / kAlignment * kAlignment;
    for (size_t at = 0; to != nullptr && at < from.size(); at += kBlock) {
      copies_.push_back({from.subspan(at, std::min(kBlock, from.size() - at)), to + at});
    }
    return to;
  }

  CheckpointSource mapped_;
  uint8_t* to_;
  size_t bytes_ = 0;
  std::vector<Copy> copies_;
};

void CheckRoom(size_t bytes) {
  const size_t available = simd::AvailableMemory();
  if (available == 0 || bytes <= available) return;
  throw Error(ErrorKind::kModel, "memory: the weights need " + std::to_string(bytes) +
                                     " bytes, and " + std::to_string(available) +
                                     " are available; mapped they need none");
}

// Blocks go to the threads as these become free, so that they wait for each other only to report.
class Loader {
 public:
  Loader(const Checkpoint& checkpoint, std::span<const Copy> copies)
      : checkpoint_(checkpoint), copies_(copies) {
    for (const Copy& copy : copies) total_ += copy.from.size();
  }

  void Run(const simd::Workers& workers, const LoadProgress& progress) {
    while (done_ < total_) {
      const Clock::time_point end = Clock::now() + kReport;
      workers.ForRanges(static_cast<size_t>(workers.threads()), 1,
                        [&](Range, int) { ReadUntil(end); });
      if (const Copy* const failed = failed_) {
        throw Error(ErrorKind::kModel,
                    checkpoint_.MappingOf(failed->from).path() + ": cannot be read");
      }
      if (progress) progress(done_, total_);
    }
  }

 private:
  using Clock = std::chrono::steady_clock;

  void ReadUntil(Clock::time_point end) {
    do {
      const size_t i = next_++;
      if (i >= copies_.size()) return;
      const Copy& copy = copies_[i];
      if (!checkpoint_.MappingOf(copy.from).Read(copy.from, copy.to)) failed_ = &copy;
      done_ += copy.from.size();
    } while (failed_ == nullptr && Clock::now() < end);
  }

  const Checkpoint& checkpoint_;
  std::span<const Copy> copies_;
  size_t total_ = 0;
  std::atomic<size_t> next_ = 0, done_ = 0;
  std::atomic<const Copy*> failed_ = nullptr;
};

}  // namespace

ModelWeights LoadWeights(const Checkpoint& checkpoint, const ModelConfig& config,
                         const LayerPlan& plan, const simd::Workers& workers,
                         const LoadProgress& progress, simd::Memory& memory) {
  CopyingSource counted(checkpoint, nullptr);
  BindModel(counted, config, plan);
  CheckRoom(counted.bytes());
  memory = simd::Memory(counted.bytes(), "weights", simd::Placement::kInterleaved);
  CopyingSource source(checkpoint, memory.data());
  ModelWeights weights = BindModel(source, config, plan);
  Loader(checkpoint, source.copies()).Run(workers, progress);
  return weights;
}

}  // namespace cedar
