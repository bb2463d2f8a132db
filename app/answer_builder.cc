#include "app/answer_builder.h"

#include <algorithm>
#include <utility>

#include "app/call_parser.h"

namespace cedar {

AnswerBuilder::AnswerBuilder(const ModelTokens& tokens, const AnswerOptions& options)
    : options_(options), split_(tokens.tokenizer, options.thinking), raw_(tokens.tokenizer) {
  if (options.thinking) answer_.reasoning = "";
  if (options.prompt_only) answer_.finish = FinishReason::kLength;
}

bool AnswerBuilder::Push(const ChosenToken& token) {
  ++answer_.tokens;
  if (options_.top_logprobs) answer_.logprobs.push_back(token);
  if (options_.raw) {
    answer_.content += raw_.Push(token.token.id);
  } else {
    const GeneratedText text = split_.Push(token.token.id);
    if (answer_.reasoning) *answer_.reasoning += text.reasoning;
    answer_.content += text.answer;
  }
  over_ = CutAtStop();
  if (!over_ && answer_.tokens >= options_.max_tokens) {
    answer_.finish = FinishReason::kLength;
    over_ = true;
  }
  return over_;
}

// Cuts the content at the first stop string in it; one may reach over several tokens.
bool AnswerBuilder::CutAtStop() {
  if (options_.must_call) return false;  // a stop string is about text, not about arguments
  size_t first = std::string::npos, longest = 0;
  for (const std::string& stop : options_.stop) {
    first = std::min(first, answer_.content.find(stop, searched_));
    longest = std::max(longest, stop.size());
  }
  if (first != std::string::npos) {
    answer_.content.resize(first);
    return true;
  }
  if (longest > 0) {
    searched_ =
        std::max(searched_, answer_.content.size() - std::min(answer_.content.size(), longest - 1));
  }
  return false;
}

Answer AnswerBuilder::Finish() {
  const bool cut = over_ && answer_.finish == FinishReason::kStop;
  if (options_.raw) {
    if (!cut) answer_.content += raw_.Finish();
  } else {
    const GeneratedText rest = split_.Finish();
    if (answer_.reasoning) *answer_.reasoning += rest.reasoning;
    if (!cut) answer_.content += rest.answer;
    answer_.reasoning_tokens = split_.reasoning_tokens();
  }
  if (options_.parse_calls && answer_.finish == FinishReason::kStop) {
    if (options_.open_call) answer_.content.insert(0, kOpenCalls);
    answer_.calls = TakeCalls(answer_.content);
    if (!answer_.calls.empty()) answer_.finish = FinishReason::kToolCalls;
  }
  return std::move(answer_);
}

}  // namespace cedar
