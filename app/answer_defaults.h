#ifndef CEDAR_APP_ANSWER_DEFAULTS_H_
#define CEDAR_APP_ANSWER_DEFAULTS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "engine/sampler.h"

namespace cedar {

// Values for requests that have none of their own (cedar batch --temperature ...).
struct AnswerDefaults {
  std::optional<std::string> system;
  std::optional<int> effort = 75;  // unset: no thinking
  std::optional<size_t> max_tokens;
  std::optional<size_t> max_thinking;
  SamplingParams sampling;
  std::optional<uint64_t> seed;
};

}  // namespace cedar

#endif  // CEDAR_APP_ANSWER_DEFAULTS_H_
