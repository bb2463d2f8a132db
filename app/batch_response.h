#ifndef CEDAR_APP_BATCH_RESPONSE_H_
#define CEDAR_APP_BATCH_RESPONSE_H_

// The lines that a batch writes, in the shape of OpenAI's Batch API.

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "app/answer_builder.h"
#include "app/batch_line.h"
#include "app/line_id.h"
#include "weights/tokenizer.h"

namespace cedar {

// One answer to one prompt of a request.
struct AnswerChoice {
  size_t prompt = 0;  // which of the request's prompts it answers
  Answer answer;
  std::vector<ChosenToken> prompt_logprobs;  // with echo: of all tokens but the first
  size_t cached_tokens = 0;                  // of the prompt, found when this choice began
};

struct PromptUsage {
  size_t tokens = 0;
  size_t cached = 0;  // of them, found before the first choice of their prompt was begun
};

// Of all prompts of a request; one that is asked for many choices counts once.
PromptUsage PromptUsageOf(const BatchRequest& request, std::span<const AnswerChoice> choices);

// Lines to write, with their newline.
std::string FormatAnswer(const Tokenizer& tokenizer, const LineId& line,
                         const BatchRequest& request, const std::vector<AnswerChoice>& choices);
std::string FormatFailure(const LineId& line, const std::string& code, const std::string& message);

}  // namespace cedar

#endif  // CEDAR_APP_BATCH_RESPONSE_H_
