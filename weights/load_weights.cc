#include "weights/load_weights.h"

#include <atomic>
#include <chrono>
#include <utility>
#include <vector>

#include "simd/error.h"

namespace cedar {
namespace {

// Between two reports of progress.
constexpr std::chrono::milliseconds kReport(100);

// What is to be copied to one node.
struct Queue {
  std::vector<Copy> copies;
  std::atomic<size_t> next = 0;

  const Copy* Take() {
    const size_t i = next++;
    return i < copies.size() ? &copies[i] : nullptr;
  }
};

// Blocks go to the threads as these become free, so that they wait for each other only to report.
class Loader {
 public:
  Loader(const Checkpoint& checkpoint, std::vector<std::vector<Copy>> copies)
      : checkpoint_(checkpoint), queues_(copies.size()) {
    for (size_t node = 0; node < copies.size(); ++node) {
      for (const Copy& copy : copies[node]) total_ += copy.from.size();
      queues_[node].copies = std::move(copies[node]);
    }
  }

  void Run(const simd::Workers& workers, const LoadProgress& progress) {
    while (done_ < total_) {
      const Clock::time_point end = Clock::now() + kReport;
      workers.ForRanges(static_cast<size_t>(workers.threads()), 1,
                        [&](Range, int worker) { ReadUntil(end, workers.NodeOfWorker(worker)); });
      if (const Copy* const failed = failed_) {
        throw Error(ErrorKind::kModel,
                    checkpoint_.MappingOf(failed->from).path() + ": cannot be read");
      }
      if (progress) progress(done_, total_);
    }
  }

 private:
  using Clock = std::chrono::steady_clock;

  // Blocks of this node, so that pages lie right even where nobody may say where they should; then
  // those of the others.
  void ReadUntil(Clock::time_point end, size_t node) {
    for (size_t i = 0; i < queues_.size(); ++i) {
      while (const Copy* const copy = queues_[(node + i) % queues_.size()].Take()) {
        if (!checkpoint_.MappingOf(copy->from).Read(copy->from, copy->to)) failed_ = copy;
        done_ += copy->from.size();
        if (failed_ != nullptr || Clock::now() >= end) return;
      }
    }
  }

  const Checkpoint& checkpoint_;
  std::vector<Queue> queues_;
  size_t total_ = 0;
  std::atomic<size_t> done_ = 0;
  std::atomic<const Copy*> failed_ = nullptr;
};

}  // namespace

ModelWeights LoadWeights(const Checkpoint& checkpoint, const ModelConfig& config,
                         const LayerPlan& plan, const simd::Workers& workers,
                         const LoadProgress& progress, WeightMemory& memory) {
  ModelWeights weights = BindWeights(checkpoint, config, plan);
  weights.may_be_cold = false;
  Loader(checkpoint, MoveMatrices(weights, workers.nodes(), memory)).Run(workers, progress);
  return weights;
}

}  // namespace cedar
