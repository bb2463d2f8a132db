#ifndef CEDAR_APP_REPORT_H_
#define CEDAR_APP_REPORT_H_

// The figures of a run, for people.

#include <cstddef>
#include <string>
#include <vector>

#include "simd/quantities.h"  // FormatBytes, FormatCount, FormatFixed

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

// What of this process is in memory, in bytes.
struct ResidentBytes {
  size_t anonymous = 0;  // now, of its own: mapped files are not counted
  size_t files = 0;      // now, of mapped files
  size_t peak = 0;       // most of both together until now
};
ResidentBytes ResidentNow();

// Bytes of memory of its own that this process holds now.
size_t AnonymousBytes();

// The middle one, of an even number the upper of the two; 0 of none.
double Median(std::vector<double> values);

}  // namespace cedar

#endif  // CEDAR_APP_REPORT_H_
