#include "app/load_engine.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <optional>
#include <string>

#include "app/interrupt.h"
#include "app/model_source.h"
#include "app/progress.h"
#include "app/report.h"
#include "simd/memory.h"
#include "weights/model_counts.h"
#include "weights/read_model.h"

namespace cedar {
namespace {

// Smaller weights are read so fast from any pages that it is not worth a thought.
constexpr size_t kLargeWeights = size_t{1} << 30;

// With half as much again left for all else.
bool FitEasily(size_t bytes) {
  return bytes >= kLargeWeights && bytes + bytes / 2 <= simd::AvailableMemory();
}

WeightPlace PlaceFor(const ModelFiles& files, const std::function<KnownWork()>& work) {
  const ModelConfig config = ReadConfig(files);
  const ModelCounts::Bytes bytes = CountModel(config, PlanLayers(config)).bytes;
  const bool load = FitEasily(bytes.weights) && IsLong(work(), bytes.weights, bytes.decode_token);
  return load ? WeightPlace::kHugePages : WeightPlace::kMapped;
}

// Shows how far loading has come, and at its end how fast it was.
class LoadReport {
 public:
  void Update(size_t done, size_t total) {
    CheckInterrupt();
    if (!line_) line_.emplace("weights", "MB", total / kMega);
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    const std::string speed = FormatBytes(static_cast<double>(done) / seconds) + "/s";
    line_->Update(done / kMega, speed);
    if (done < total) return;
    line_->Wipe();
    std::fprintf(stderr, "weights: %s read, %s\n", FormatBytes(static_cast<double>(total)).c_str(),
                 speed.c_str());
  }

 private:
  static constexpr size_t kMega = 1000000;

  std::optional<ProgressLine> line_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace

Engine LoadEngine(const std::string& model, const ComputeOptions& compute,
                  const std::function<KnownWork()>& work) {
  const ModelFiles files = OpenModel(model);
  LoadReport report;
  return Engine(files,
                {.isa = compute.isa,
                 .threads = compute.threads,
                 .pinning = compute.pinning,
                 .numerics = compute.numerics,
                 .weights = compute.weights ? *compute.weights : PlaceFor(files, work),
                 .load_progress = [&](size_t done, size_t total) { report.Update(done, total); }});
}

std::string WeightsText(const Engine& engine) {
  const size_t nodes = engine.weight_nodes();
  std::string text = nodes == 0 ? "weights: mapped" : "weights: loaded";
  const auto pages = engine.WeightPages();
  if (!pages) return text + ", on pages of unknown size\n";
  text += ", " + FormatBytes(static_cast<double>(pages->bytes)) + " in memory";
  if (nodes >= 2) text += " of " + std::to_string(nodes) + " nodes";
  const double all = static_cast<double>(std::max<size_t>(pages->bytes, 1));
  const double share = 100 * static_cast<double>(pages->huge_bytes) / all;
  return text + ", " + FormatFixed(share, 0) + " % of it on huge pages\n";
}

}  // namespace cedar
