#include "app/progress.h"

#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <utility>

namespace cedar {
namespace {

constexpr size_t kBarWidth = 30;

}  // namespace

std::string ProgressText(const std::string& label, const std::string& unit, size_t done,
                         size_t total, double seconds) {
  const size_t filled = total == 0 ? kBarWidth : kBarWidth * done / total;
  std::string text = label + " [" + std::string(filled, '#') +
                     std::string(kBarWidth - filled, '-') + "] " + std::to_string(done) + "/" +
                     std::to_string(total) + " " + unit;
  if (done > 0 && done < total) {
    const double left = seconds * static_cast<double>(total - done) / static_cast<double>(done);
    text += ", " + std::to_string(std::lround(left)) + " s left";
  }
  return text;
}

ProgressLine::ProgressLine(std::string label, std::string unit, size_t total)
    : label_(std::move(label)),
      unit_(std::move(unit)),
      total_(total),
      terminal_(isatty(STDERR_FILENO) == 1) {}

ProgressLine::~ProgressLine() { Wipe(); }

void ProgressLine::Update(size_t done, const std::string& note) {
  using std::chrono::duration;
  const Clock::time_point now = Clock::now();
  if (!terminal_ || (drawn_ && now - last_ < std::chrono::milliseconds(100))) return;
  const double seconds = duration<double>(now - start_).count();
  // Back to the first column, erase, draw.
  std::fprintf(stderr, "\r\x1b[K%s%s%s", ProgressText(label_, unit_, done, total_, seconds).c_str(),
               note.empty() ? "" : ", ", note.c_str());
  std::fflush(stderr);
  drawn_ = true;
  last_ = now;
}

void ProgressLine::Wipe() {
  if (!std::exchange(drawn_, false)) return;
  std::fputs("\r\x1b[K", stderr);
  std::fflush(stderr);
}

}  // namespace cedar
