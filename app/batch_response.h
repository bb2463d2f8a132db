#ifndef CEDAR_APP_BATCH_RESPONSE_H_
#define CEDAR_APP_BATCH_RESPONSE_H_

// The lines that a batch writes, in the shape of OpenAI's Batch API.

#include <cstddef>
#include <string>
#include <vector>

#include "app/answer_builder.h"
#include "app/batch_line.h"
#include "weights/tokenizer.h"

namespace cedar {

// What names a line in the output: the same line of the input always gets the same id, so that a
// later run finds its answer.
struct LineId {
  std::string custom_id;
  uint64_t digest = 0;    // of the line's text and all that acts on it
  size_t occurrence = 0;  // how many lines before it have the same custom_id

  std::string id() const;  // "batch_req_..."
};

// One answer to one prompt of a request.
struct AnswerChoice {
  size_t prompt = 0;  // which of the request's prompts it answers
  Answer answer;
  std::vector<ChosenToken> prompt_logprobs;  // with echo: of all tokens but the first
};

// Lines to write, with their newline.
std::string FormatAnswer(const Tokenizer& tokenizer, const LineId& line,
                         const BatchRequest& request, const std::vector<AnswerChoice>& choices,
                         size_t cached_tokens);
std::string FormatFailure(const LineId& line, const std::string& code, const std::string& message);

}  // namespace cedar

#endif  // CEDAR_APP_BATCH_RESPONSE_H_
