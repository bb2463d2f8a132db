#ifndef CEDAR_APP_BATCH_FIGURES_H_
#define CEDAR_APP_BATCH_FIGURES_H_

// What a batch run has done and how fast: for the progress line, the metrics file and the summary.

#include <chrono>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/report.h"
#include "app/run_sample.h"
#include "app/spread.h"
#include "engine/scheduler.h"

namespace cedar {

struct LineFailure {
  std::string custom_id;
  std::string code;
  std::string message;
};

// How a run ended.
struct RunEnd {
  std::optional<size_t> lines;  // of the input, if that is known
  std::optional<size_t> kept;   // answers in the output that belong to no line, if that is known
  std::string failure_place;    // where failures are written
  std::string stopped;          // why, if before the last line
};

class BatchFigures {
 public:
  using Clock = std::chrono::steady_clock;

  BatchFigures(size_t plan_bytes, double bytes_per_token)
      : plan_bytes_(plan_bytes), bytes_per_token_(bytes_per_token) {}

  // A line was answered whose usage says so many tokens: each of its prompts counts once, however
  // many choices it has.
  void LineDone(size_t prompt_tokens, size_t cached_tokens, size_t generated_tokens) {
    ++done_;
    sample_.AddLine(prompt_tokens, generated_tokens);
    prompt_tokens_ += prompt_tokens;
    cached_tokens_ += cached_tokens;
  }
  void LineFailed(const LineFailure& failure);
  // An earlier run has its answer, or found that there is none.
  void LineKnown() { ++known_; }
  void LineKnownFailed(const LineFailure& failure);
  // A step of the scheduler that took so long; counts: of the scheduler after it.
  void StepDone(double seconds, const SchedulerCounts& counts);
  // Takes the memory that the process has now into its peak: wherever much is held for a moment.
  void LookAtMemory();
  // Calls `work`, which maps no files, and takes in the peak that the process has within it.
  template <typename Work>
  void LookAtMemoryWithin(const Work& work) {
    const size_t before = ResidentNow().peak;
    work();
    TakePeakSince(before);
  }
  // A first token came so long after its request was queued; a later one so long after the one
  // before it.
  void FirstToken(double seconds) { first_token_seconds_.Add(seconds); }
  void NextToken(double seconds) { token_seconds_.Add(seconds); }

  // Whether a line has no answer, whichever run found out.
  bool AnyFailed() const { return failed_ + known_failed_ > 0; }

  // What lines of this run have cost, and how long it has been.
  const RunSample& sample() const { return sample_; }
  double Elapsed() const;

  // One line for people; total: lines of the input, if known.
  std::string ProgressText(std::optional<size_t> total) const;
  // Prometheus text, named as llama.cpp's server names its metrics.
  std::string MetricsText() const;
  // A few lines for people, and the same as JSON.
  std::string SummaryText(const RunEnd& end) const;
  std::string SummaryJson(const RunEnd& end) const;

 private:
  void TakePeakSince(size_t before);
  size_t lines() const { return done_ + failed_ + known_ + known_failed_; }
  void CountFailure(const LineFailure& failure);
  std::optional<size_t> Left(const RunEnd& end) const;
  std::string FailureText(const std::string& place) const;
  double Rate(size_t count, double seconds) const;

  size_t plan_bytes_;
  double bytes_per_token_;
  Clock::time_point start_ = Clock::now();
  size_t done_ = 0, failed_ = 0;
  size_t known_ = 0, known_failed_ = 0;           // of earlier runs
  std::map<std::string, size_t> failures_;        // by their code
  std::vector<LineFailure> first_failures_;       // as many as are shown
  size_t prompt_tokens_ = 0, cached_tokens_ = 0;  // of lines that are done
  RunSample sample_;
  SchedulerCounts counts_;
  size_t steps_ = 0;
  size_t peak_bytes_ = 0;
  Clock::time_point looked_{};  // when memory was read last
  size_t busy_ = 0;             // sum over steps of the requests that ran
  double prefill_seconds_ = 0, decode_seconds_ = 0;
  Spread first_token_seconds_, token_seconds_;
};

}  // namespace cedar

#endif  // CEDAR_APP_BATCH_FIGURES_H_
