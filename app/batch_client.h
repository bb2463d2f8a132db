#ifndef CEDAR_APP_BATCH_CLIENT_H_
#define CEDAR_APP_BATCH_CLIENT_H_

// One answer on its way through the scheduler: chooses its tokens and puts them together.

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "app/answer_builder.h"
#include "app/answer_options.h"
#include "app/batch_figures.h"
#include "app/token_chooser.h"
#include "engine/scheduler.h"

namespace cedar {

class BatchAnswerer : public RequestClient {
 public:
  // tokens, prompt and figures must outlive it. top_of_prompt: likeliest tokens in the place of
  // each of the prompt's.
  BatchAnswerer(const ModelTokens& tokens, const AnswerOptions& options,
                std::span<const int32_t> prompt, size_t top_of_prompt, BatchFigures& figures)
      : chooser_(tokens, options, prompt),
        builder_(tokens, options),
        top_of_prompt_(top_of_prompt),
        prompt_(prompt),
        figures_(figures) {}

  std::optional<int32_t> Next(std::span<const float> logits) override {
    TakeTime();
    const ChosenToken token = chooser_.Next(logits);
    if (chooser_.Ends(token.token.id)) {
      builder_.PushEnd(token.token.id);
      return std::nullopt;
    }
    return builder_.Push(token) ? std::nullopt : std::optional(token.token.id);
  }

  void OnPromptLogits(size_t position, std::span<const float> logits) override {
    if (position + 1 >= prompt_.size()) return;
    prompt_logprobs_.push_back(LogprobsOf(logits, prompt_[position + 1], top_of_prompt_));
  }

  // After the scheduler said that the request is finished.
  Answer Finish() { return builder_.Finish(); }
  // Of each token of the prompt but the first; only for requests that wanted prompt logits.
  std::vector<ChosenToken> TakePromptLogprobs() { return std::move(prompt_logprobs_); }

 private:
  using Clock = BatchFigures::Clock;

  void TakeTime() {
    const Clock::time_point now = Clock::now();
    const double seconds = std::chrono::duration<double>(now - last_).count();
    if (has_token_) {
      figures_.NextToken(seconds);
    } else {
      figures_.FirstToken(seconds);
    }
    has_token_ = true;
    last_ = now;
  }

  TokenChooser chooser_;
  AnswerBuilder builder_;
  size_t top_of_prompt_;
  std::span<const int32_t> prompt_;
  BatchFigures& figures_;
  std::vector<ChosenToken> prompt_logprobs_;
  Clock::time_point last_ = Clock::now();  // of the last token; before it, of being queued
  bool has_token_ = false;
};

}  // namespace cedar

#endif  // CEDAR_APP_BATCH_CLIENT_H_
