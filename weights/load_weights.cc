#include "weights/load_weights.h"

#include <algorithm>
#include <atomic>
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
// Blocks between two reports of progress, for each thread.
constexpr size_t kBlocksPerReport = 4;
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
    const size_t scales = ScaleRows(matrix.format, rows) * ScaleCols(matrix.format, cols);
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

void ReadAll(const Checkpoint& checkpoint, std::span<const Copy> copies,
             const simd::Workers& workers, const LoadProgress& progress) {
  const size_t at_a_time = kBlocksPerReport * static_cast<size_t>(workers.threads());
  size_t done = 0, total = 0;
  for (const Copy& copy : copies) total += copy.from.size();
  for (size_t first = 0; first < copies.size(); first += at_a_time) {
    const std::span<const Copy> some =
        copies.subspan(first, std::min(at_a_time, copies.size() - first));
    std::atomic<const Copy*> failed = nullptr;
    workers.ForRanges(some.size(), 1, [&](Range range, int) {
      for (size_t i = range.begin; i < range.end; ++i) {
        if (!checkpoint.MappingOf(some[i].from).Read(some[i].from, some[i].to)) failed = &some[i];
      }
    });
    if (failed != nullptr) {
      throw Error(ErrorKind::kModel,
                  checkpoint.MappingOf(failed.load()->from).path() + ": cannot be read");
    }
    for (const Copy& copy : some) done += copy.from.size();
    if (progress) progress(done, total);
  }
}

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
  ReadAll(checkpoint, source.copies(), workers, progress);
  return weights;
}

}  // namespace cedar
