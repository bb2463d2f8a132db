#ifndef CEDAR_APP_ANSWER_OPTIONS_H_
#define CEDAR_APP_ANSWER_OPTIONS_H_

// Everything that a request may say about its answer, whichever way it came in.

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/sampler.h"

namespace cedar {

class TokenMasks;  // app/token_mask.h

struct AnswerOptions {
  SamplingParams sampling;
  uint64_t seed = 0;

  // Length, in tokens; reasoning counts.
  size_t max_tokens = 0;
  bool prompt_only = false;            // max_tokens is 0 because the prompt alone is wanted
  size_t min_tokens = 0;               // nothing ends the answer before so many
  std::optional<size_t> max_thinking;  // then </think> is forced

  // What else ends it. Strings count in the answer, not in the reasoning, and are cut off.
  std::vector<std::string> stop;
  std::vector<int32_t> stop_ids;
  bool ignore_eos = false;
  bool keep_stop = false;  // the stop string, or the text of the token that ended it, is kept

  // What is done to logits before sampling. Presence and frequency count generated tokens,
  // repetition those of the prompt too.
  double presence_penalty = 0;
  double frequency_penalty = 0;
  double repetition_penalty = 1;
  std::map<int32_t, double> logit_bias;

  bool thinking = false;      // the prompt ended inside <think>
  bool parse_calls = false;   // calls of tools in the answer are taken out of its text
  bool open_call = false;     // the prompt ended inside a block of calls
  bool must_call = false;     // behind </think> there are calls and nothing else
  bool raw = false;           // raw text: nothing is reasoning
  bool show_control = false;  // control tokens become text; else only those that mean something
  bool keep_ids = false;      // the answer lists its tokens

  // The answer, after </think>, is a text of this grammar. Shared by requests of one thread.
  std::shared_ptr<TokenMasks> grammar;

  // Log-probabilities of the chosen tokens, and of so many of the likeliest.
  std::optional<size_t> top_logprobs;
};

}  // namespace cedar

#endif  // CEDAR_APP_ANSWER_OPTIONS_H_
