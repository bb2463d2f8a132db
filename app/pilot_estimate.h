#ifndef CEDAR_APP_PILOT_ESTIMATE_H_
#define CEDAR_APP_PILOT_ESTIMATE_H_

// What a whole batch will take, as far as a few of its lines tell (cedar batch --check --pilot).

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "app/run_sample.h"

namespace cedar {

// Which of `count` things to take so that `wanted` of them, or all, lie evenly among them.
std::vector<size_t> DrawEvenly(size_t count, size_t wanted);

// Lines that can be answered, and the tokens of their prompts, which were counted.
struct PilotWork {
  size_t lines = 0;
  size_t prompt_tokens = 0;
  size_t answers = 0;         // to each prompt as many as it wants
  size_t most_generated = 0;  // tokens, as the lines limit them
};

// What is known after the lines that were drawn have been answered.
struct PilotResult {
  RunSample sample;    // of the lines drawn
  double seconds = 0;  // that answering them took
  size_t parallel = 1;
  PilotWork all;   // every line of the input
  PilotWork left;  // those without an answer
};

// An estimate and the ends of its error bar.
struct Estimate {
  double value = 0, low = 0, high = 0;
};

// Values are sums over lines; each error bar is an interval that holds the truth 95 times of 100,
// from the spread of generated tokens over the lines drawn and of the time of a token over the
// steps. Without two lines there is no spread: low and high are then the value.
struct PilotEstimate {
  Estimate generated_all, generated_left;  // tokens
  Estimate seconds_all, seconds_left;      // beside loading the model
  bool has_spread = false;
  double running = 0;      // requests at once, as a mean over the generated tokens of the pilot
  bool is_full = false;    // times are from steps as full as those of the run
  size_t run_at_once = 1;  // requests that the run will have in a step
};

PilotEstimate EstimateFrom(const PilotResult& result);

// Lines for people; the same as a JSON object.
std::string PilotText(const PilotResult& result);
nlohmann::ordered_json PilotJson(const PilotResult& result);

}  // namespace cedar

#endif  // CEDAR_APP_PILOT_ESTIMATE_H_
