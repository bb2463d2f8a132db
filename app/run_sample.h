#ifndef CEDAR_APP_RUN_SAMPLE_H_
#define CEDAR_APP_RUN_SAMPLE_H_

// What lines of a batch cost, kept so that others like them can be foreseen.

#include <cstddef>
#include <map>

#include "app/moments.h"

namespace cedar {

// A step of the scheduler by its two kinds of work.
struct StepCost {
  double prefill_seconds = 0;
  double decode_seconds = 0;
  size_t prompt_rows = 0;  // computed, of prompts
  size_t tokens = 0;       // generated, that went through the model
  size_t running = 0;      // requests in it
};

// Seconds of steps, and for how much work.
struct Pace {
  double seconds = 0;
  size_t tokens = 0;
  Moments each;  // seconds of a token, by step

  void Add(double more_seconds, size_t more_tokens) {
    if (more_tokens == 0) return;
    seconds += more_seconds;
    tokens += more_tokens;
    each.Add(more_seconds / static_cast<double>(more_tokens));
  }
  void Add(const Pace& others) {
    seconds += others.seconds;
    tokens += others.tokens;
    each.Add(others.each);
  }
};

struct RunSample {
  Moments prompt;                 // tokens in, by line
  Moments generated;              // tokens out, by line
  Pace prefill;                   // by computed row of a prompt
  std::map<size_t, Pace> decode;  // by the requests that ran at once

  void AddLine(size_t prompt_tokens, size_t generated_tokens) {
    prompt.Add(static_cast<double>(prompt_tokens));
    generated.Add(static_cast<double>(generated_tokens));
  }
  void AddStep(const StepCost& step) {
    prefill.Add(step.prefill_seconds, step.prompt_rows);
    if (step.tokens > 0) decode[step.running].Add(step.decode_seconds, step.tokens);
  }
};

}  // namespace cedar

#endif  // CEDAR_APP_RUN_SAMPLE_H_
