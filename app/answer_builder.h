#ifndef CEDAR_APP_ANSWER_BUILDER_H_
#define CEDAR_APP_ANSWER_BUILDER_H_

// Puts an answer together from its tokens: reasoning and text, stop strings, calls of tools.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/answer_options.h"
#include "app/message.h"
#include "app/thinking_split.h"
#include "app/token_chooser.h"

namespace cedar {

enum class FinishReason { kStop, kLength, kToolCalls };

struct Answer {
  std::string content;
  std::optional<std::string> reasoning;  // unset: it was not asked to think
  std::vector<ToolCall> calls;           // their ids are the caller's to give
  FinishReason finish = FinishReason::kStop;
  size_t tokens = 0;                  // generated, with the one that ended the text
  size_t reasoning_tokens = 0;        // of them, with </think>
  std::vector<ChosenToken> logprobs;  // of each token of the text, if wanted
  std::vector<int32_t> ids;           // of all tokens, if wanted
};

class AnswerBuilder {
 public:
  // The tokenizer must outlive it.
  AnswerBuilder(const ModelTokens& tokens, const AnswerOptions& options);

  // A token of the answer, not one that ended it. True if with it the answer is over, by a stop
  // string or by its length.
  bool Push(const ChosenToken& token);
  // A token that ended it, instead.
  void PushEnd(int32_t id);

  // The whole answer; nothing more may be pushed.
  Answer Finish();

 private:
  void Count(int32_t id);
  void AddText(int32_t id);
  bool CutAtStop();

  const Tokenizer& tokenizer_;
  const AnswerOptions options_;
  ThinkingSplit split_;
  StreamDecoder raw_;
  Answer answer_;
  size_t searched_ = 0;  // bytes of the content in which no stop string begins
  bool over_ = false;
};

}  // namespace cedar

#endif  // CEDAR_APP_ANSWER_BUILDER_H_
