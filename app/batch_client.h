#ifndef CEDAR_APP_BATCH_CLIENT_H_
#define CEDAR_APP_BATCH_CLIENT_H_

// One answer on its way through the scheduler: chooses its tokens and puts them together.

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "app/answer_builder.h"
#include "app/answer_options.h"
#include "app/token_chooser.h"
#include "engine/scheduler.h"

namespace cedar {

class BatchAnswerer : public RequestClient {
 public:
  using Clock = std::chrono::steady_clock;

  // tokens and prompt must outlive it.
  BatchAnswerer(const ModelTokens& tokens, const AnswerOptions& options,
                std::span<const int32_t> prompt)
      : chooser_(tokens, options, prompt),
        builder_(tokens, options),
        options_(options),
        prompt_(prompt) {}

  std::optional<int32_t> Next(std::span<const float> logits) override {
    times_.push_back(Clock::now());
    const ChosenToken token = chooser_.Next(logits);
    if (chooser_.Ends(token.token.id)) {
      builder_.PushEnd();
      return std::nullopt;
    }
    return builder_.Push(token) ? std::nullopt : std::optional(token.token.id);
  }

  void OnPromptLogits(size_t position, std::span<const float> logits) override {
    if (position + 1 >= prompt_.size()) return;
    prompt_logprobs_.push_back(
        LogprobsOf(logits, prompt_[position + 1], options_.top_logprobs.value_or(0)));
  }

  // After the scheduler said that the request is finished.
  Answer Finish() { return builder_.Finish(); }
  // Of each token of the prompt but the first; only for requests that wanted prompt logits.
  const std::vector<ChosenToken>& prompt_logprobs() const { return prompt_logprobs_; }
  // When each token was chosen.
  const std::vector<Clock::time_point>& times() const { return times_; }

 private:
  TokenChooser chooser_;
  AnswerBuilder builder_;
  AnswerOptions options_;
  std::span<const int32_t> prompt_;
  std::vector<ChosenToken> prompt_logprobs_;
  std::vector<Clock::time_point> times_;
};

}  // namespace cedar

#endif  // CEDAR_APP_BATCH_CLIENT_H_
