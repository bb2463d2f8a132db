#ifndef CEDAR_APP_REPORT_H_
#define CEDAR_APP_REPORT_H_

// The figures of a run, for people.

#include <cstddef>
#include <string>
#include <vector>

namespace cedar {

// What one answer cost.
struct AnswerFigures {
  size_t prompt_tokens = 0;
  size_t generated_tokens = 0;
  double prefill_seconds = 0;      // the prompt, up to its logits
  double first_token_seconds = 0;  // from the start to the first generated token
  double decode_seconds = 0;       // the generated tokens after the first
};

// The figures of many answers.
class RunFigures {
 public:
  void Add(const AnswerFigures& answer);

  // Three lines: prompt, generated, memory. `plan_bytes`: the largest plan of the run.
  std::string Text(size_t plan_bytes) const;

 private:
  AnswerFigures sum_;
  std::vector<double> first_token_seconds_;
};

// Most bytes that this process had in memory at once, mapped weights included.
size_t PeakResidentBytes();

// Bytes of memory of its own that this process holds now: mapped files are not counted.
size_t AnonymousBytes();

// The middle one, of an even number the upper of the two; 0 of none.
double Median(std::vector<double> values);

// Three significant digits and a decimal unit: "890 B", "2.70 MB".
std::string FormatBytes(double bytes);
// The same for counts: "552 B", "1.32 M", "881".
std::string FormatCount(double count);

}  // namespace cedar

#endif  // CEDAR_APP_REPORT_H_
