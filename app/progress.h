#ifndef CEDAR_APP_PROGRESS_H_
#define CEDAR_APP_PROGRESS_H_

// One line on stderr that shows how far a piece of work is, drawn over itself. Only on a terminal:
// a log gets nothing.

#include <chrono>
#include <cstddef>
#include <string>

namespace cedar {

class ProgressLine {
 public:
  // `unit` stands behind the numbers ("tokens"). Nothing is drawn before the first Update.
  ProgressLine(std::string label, std::string unit, size_t total);
  // Wipes the line.
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  // Draws at most ten times a second; `note` stands at the end ("1.2 GB/s").
  void Update(size_t done, const std::string& note = "");
  // Makes room for other text on stderr; the next Update draws again.
  void Wipe();

 private:
  using Clock = std::chrono::steady_clock;

  std::string label_;
  std::string unit_;
  size_t total_;
  bool terminal_;
  bool drawn_ = false;
  Clock::time_point start_ = Clock::now();
  Clock::time_point last_{};
};

// "prefill [#####-----] 512/1024 tokens, 3 s left": the text of a line, for tests. `seconds` is
// the time spent so far.
std::string ProgressText(const std::string& label, const std::string& unit, size_t done,
                         size_t total, double seconds);

}  // namespace cedar

#endif  // CEDAR_APP_PROGRESS_H_
