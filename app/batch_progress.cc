#include "app/batch_progress.h"

#include <unistd.h>

#include <cstdio>
#include <utility>

#include "app/new_file.h"

namespace cedar {
namespace {

constexpr std::chrono::milliseconds kOnTerminal{200};
constexpr std::chrono::seconds kElsewhere{30};
constexpr std::chrono::seconds kMetrics{2};

}  // namespace

BatchProgress::BatchProgress(const BatchFigures& figures, std::optional<size_t> total,
                             std::optional<std::string> metrics)
    : figures_(figures),
      total_(total),
      metrics_(std::move(metrics)),
      terminal_(isatty(STDERR_FILENO) == 1) {}

BatchProgress::~BatchProgress() { Wipe(); }

void BatchProgress::Update() {
  const Clock::time_point now = Clock::now();
  if (metrics_ && now - written_ >= kMetrics) {
    WriteMetrics();
    written_ = now;
  }
  if (terminal_ ? now - shown_ < kOnTerminal : now - shown_ < kElsewhere) return;
  shown_ = now;
  const std::string text = figures_.ProgressText(total_);
  if (terminal_) {
    std::fprintf(stderr, "\r\x1b[K%s", text.c_str());  // first column, erase, draw
    std::fflush(stderr);
    drawn_ = true;
  } else {
    std::fprintf(stderr, "%s\n", text.c_str());
  }
}

void BatchProgress::End() {
  if (metrics_) WriteMetrics();
  Wipe();
}

void BatchProgress::Wipe() {
  if (std::exchange(drawn_, false)) std::fputs("\r\x1b[K", stderr);
}

// Whole or not at all, for those who read it while we run.
void BatchProgress::WriteMetrics() const {
  NewFile file(*metrics_);
  file.Write(figures_.MetricsText());
  file.Commit();
}

}  // namespace cedar
