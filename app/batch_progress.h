#ifndef CEDAR_APP_BATCH_PROGRESS_H_
#define CEDAR_APP_BATCH_PROGRESS_H_

// Shows how far a batch is: a line that is drawn over itself on a terminal, a line every half
// minute elsewhere, and a file of metrics.

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>

#include "app/batch_figures.h"

namespace cedar {

class BatchProgress {
 public:
  // figures must outlive it. metrics: a file that is written anew every few seconds.
  BatchProgress(const BatchFigures& figures, std::optional<size_t> total,
                std::optional<std::string> metrics);
  ~BatchProgress();

  // After each step; draws and writes when it is time to.
  void Update();
  // After the last.
  void End();

 private:
  using Clock = std::chrono::steady_clock;

  void Wipe();
  void WriteMetrics() const;

  const BatchFigures& figures_;
  std::optional<size_t> total_;
  std::optional<std::string> metrics_;
  bool terminal_;
  bool drawn_ = false;
  Clock::time_point shown_ = Clock::now();
  Clock::time_point written_{};
};

}  // namespace cedar

#endif  // CEDAR_APP_BATCH_PROGRESS_H_
