#include "app/answer_builder.h"

#include <algorithm>
#include <utility>

#include "app/call_parser.h"
#include "app/control_names.h"

namespace cedar {

AnswerBuilder::AnswerBuilder(const ModelTokens& tokens, const AnswerOptions& options)
    : tokenizer_(tokens.tokenizer),
      options_(options),
      split_(tokens.tokenizer, options.thinking),
      raw_(tokens.tokenizer) {
  if (options.thinking) answer_.reasoning = "";
  if (options.prompt_only) answer_.finish = FinishReason::kLength;
}

bool AnswerBuilder::Push(const ChosenToken& token) {
  Count(token.token.id);
  if (options_.top_logprobs) answer_.logprobs.push_back(token);
  AddText(token.token.id);
  over_ = CutAtStop();
  if (!over_ && answer_.tokens >= options_.max_tokens) {
    answer_.finish = FinishReason::kLength;
    over_ = true;
  }
  return over_;
}

void AnswerBuilder::PushEnd(int32_t id) {
  Count(id);
  if (options_.keep_stop) AddText(id);
}

void AnswerBuilder::Count(int32_t id) {
  ++answer_.tokens;
  if (options_.keep_ids) answer_.ids.push_back(id);
}

void AnswerBuilder::AddText(int32_t id) {
  const bool is_silent = !options_.show_control && IsSilent(tokenizer_, id);
  if (options_.raw) {
    answer_.content += is_silent ? raw_.Finish() : raw_.Push(id);
    return;
  }
  const GeneratedText text = is_silent ? split_.PushSilent() : split_.Push(id);
  if (answer_.reasoning) *answer_.reasoning += text.reasoning;
  answer_.content += text.answer;
}

// Cuts the content at the first stop string in it; one may reach over several tokens.
bool AnswerBuilder::CutAtStop() {
  if (options_.must_call) return false;  // a stop string is about text, not about arguments
  size_t first = std::string::npos, kept = 0, longest = 0;
  for (const std::string& stop : options_.stop) {
    longest = std::max(longest, stop.size());
    const size_t at = answer_.content.find(stop, searched_);
    if (at == std::string::npos) continue;
    // Of those that begin at the same place the shortest was there first.
    if (at < first || (at == first && stop.size() < kept)) kept = stop.size();
    first = std::min(first, at);
  }
  if (first != std::string::npos) {
    answer_.content.resize(first + (options_.keep_stop ? kept : 0));
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
