#ifndef CEDAR_APP_BATCH_FIGURES_H_
#define CEDAR_APP_BATCH_FIGURES_H_

// What a batch run has done and how fast: for the progress line, the metrics file and the summary.

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>

#include "app/spread.h"
#include "engine/scheduler.h"

namespace cedar {

class BatchFigures {
 public:
  using Clock = std::chrono::steady_clock;

  BatchFigures(size_t plan_bytes, double bytes_per_token)
      : plan_bytes_(plan_bytes), bytes_per_token_(bytes_per_token) {}

  // A line was answered whose usage says so many tokens: each of its prompts counts once, however
  // many choices it has.
  void LineDone(size_t prompt_tokens, size_t cached_tokens) {
    ++done_;
    prompt_tokens_ += prompt_tokens;
    cached_tokens_ += cached_tokens;
  }
  void LineFailed() { ++failed_; }
  // An earlier run has its answer, or found that there is none.
  void LineKnown(bool failed) { ++(failed ? known_failed_ : known_); }
  // A step of the scheduler that took so long; counts: of the scheduler after it.
  void StepDone(double seconds, const SchedulerCounts& counts);
  // Takes the memory that the process has now into its peak: wherever much is held for a moment.
  void LookAtMemory();
  // A first token came so long after its request was queued; a later one so long after the one
  // before it.
  void FirstToken(double seconds) { first_token_seconds_.Add(seconds); }
  void NextToken(double seconds) { token_seconds_.Add(seconds); }

  // Whether a line has no answer, whichever run found out.
  bool AnyFailed() const { return failed_ + known_failed_ > 0; }

  // One line for people; total: lines of the input, if known.
  std::string ProgressText(std::optional<size_t> total) const;
  // Prometheus text, named as llama.cpp's server names its metrics.
  std::string MetricsText() const;
  // A few lines for people, and the same as JSON.
  std::string SummaryText() const;
  std::string SummaryJson() const;

 private:
  double Rate(size_t count, double seconds) const;
  double Elapsed() const;

  size_t plan_bytes_;
  double bytes_per_token_;
  Clock::time_point start_ = Clock::now();
  size_t done_ = 0, failed_ = 0;
  size_t known_ = 0, known_failed_ = 0;  // of earlier runs
  size_t prompt_tokens_ = 0, cached_tokens_ = 0;  // of lines that are done
  SchedulerCounts counts_;
  size_t steps_ = 0;
  size_t peak_bytes_ = 0;
  Clock::time_point looked_{};  // when memory was read last
  size_t busy_ = 0;  // sum over steps of the requests that ran
  double prefill_seconds_ = 0, decode_seconds_ = 0;
  Spread first_token_seconds_, token_seconds_;
};

}  // namespace cedar

#endif  // CEDAR_APP_BATCH_FIGURES_H_
