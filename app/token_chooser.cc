#include "app/token_chooser.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "app/control_names.h"
#include "engine/reserved_ids.h"

namespace cedar {
namespace {

void Insert(std::vector<int32_t>& ascending, int32_t id) {
  const auto at = std::lower_bound(ascending.begin(), ascending.end(), id);
  if (at == ascending.end() || *at != id) ascending.insert(at, id);
}

bool Contains(const std::vector<int32_t>& ascending, int32_t id) {
  return std::binary_search(ascending.begin(), ascending.end(), id);
}

}  // namespace

ModelTokens::ModelTokens(const Tokenizer& t, size_t vocab)
    : tokenizer(t),
      forbidden(ReservedIds(t)),
      end(t.FindControl(kEndOfText)),
      think_end(t.FindControl(kThinkEnd)) {
  for (int32_t id = t.size(); id < static_cast<int32_t>(vocab); ++id) Insert(forbidden, id);
  for (const std::string_view name :
       {kEndOfText, kBeginOfText, kSystemTurn, kUserTurn, kAssistantTurn}) {
    if (const auto id = t.FindControl(name)) Insert(ends, *id);
  }
}

TokenChooser::TokenChooser(const ModelTokens& tokens, const AnswerOptions& options,
                           std::span<const int32_t> prompt)
    : tokens_(tokens),
      options_(options),
      sampler_(options.sampling, options.seed, tokens.forbidden),
      thinking_(options.thinking) {
  if (!options.ignore_eos) ends_ = tokens.ends;
  for (const int32_t id : options.stop_ids) Insert(ends_, id);
  if (options.grammar != nullptr) {
    state_ = options.grammar->start();
    renewals_ = options.grammar->renewals();
    // Where nothing else is left, such an answer ends, whatever it was to ignore.
    if (tokens.end) Insert(ends_, *tokens.end);
  }
  if (options.repetition_penalty == 1) return;
  seen_.assign(prompt.begin(), prompt.end());
  std::sort(seen_.begin(), seen_.end());
  seen_.erase(std::unique(seen_.begin(), seen_.end()), seen_.end());
}

ChosenToken TokenChooser::Next(std::span<const float> logits) {
  const int32_t id = Pick(logits);
  Advance(id);
  if (!options_.top_logprobs) return {{id, 0}, {}};
  return LogprobsOf(logits, id, *options_.top_logprobs);
}

bool TokenChooser::Ends(int32_t id) const { return Contains(ends_, id); }

// An answer that must follow a grammar is not over before it has begun.
bool TokenChooser::MayEnd() const {
  return count_ >= options_.min_tokens && !(thinking_ && options_.grammar != nullptr);
}

int32_t TokenChooser::Pick(std::span<const float> logits) {
  const bool force_answer =
      thinking_ && tokens_.think_end && options_.max_thinking && count_ >= *options_.max_thinking;
  if (force_answer) return *tokens_.think_end;
  TokenFilter filter;
  if (!MayEnd()) filter.forbidden = ends_;
  if (options_.grammar != nullptr && !thinking_) {
    filter.allowed = &Allowed();
    const bool may_end = options_.grammar->Accepts(state_);
    if (may_end && (!options_.ignore_eos || filter.allowed->empty())) filter.also = tokens_.end;
  }
  return sampler_.Pick(Adjusted(logits), filter);
}

const TokenSet& TokenChooser::Allowed() {
  TokenMasks& grammar = *options_.grammar;
  grammar.RenewIfLarge();
  if (renewals_ != grammar.renewals()) {
    renewals_ = grammar.renewals();
    state_ = grammar.start();
    for (const int32_t id : text_) state_ = grammar.Advance(state_, id);
  }
  return grammar.Allowed(state_);
}

std::span<const float> TokenChooser::Adjusted(std::span<const float> logits) {
  const bool counts = options_.presence_penalty != 0 || options_.frequency_penalty != 0;
  if (seen_.empty() && !counts && options_.logit_bias.empty()) return logits;
  adjusted_.assign(logits.begin(), logits.end());
  for (const int32_t id : seen_) {
    float& logit = adjusted_[static_cast<size_t>(id)];
    const float penalty = static_cast<float>(options_.repetition_penalty);
    logit = logit > 0 ? logit / penalty : logit * penalty;
  }
  if (counts) {
    for (const auto& [id, count] : generated_) {
      adjusted_[static_cast<size_t>(id)] -= static_cast<float>(
          options_.presence_penalty + options_.frequency_penalty * static_cast<double>(count));
    }
  }
  for (const auto& [id, bias] : options_.logit_bias) {
    adjusted_[static_cast<size_t>(id)] += static_cast<float>(bias);
  }
  return adjusted_;
}

void TokenChooser::Advance(int32_t id) {
  ++count_;
  ++generated_[id];
  if (options_.repetition_penalty != 1) Insert(seen_, id);
  if (thinking_) {
    if (id == tokens_.think_end) thinking_ = false;
  } else if (options_.grammar != nullptr && !Ends(id)) {
    state_ = options_.grammar->Advance(state_, id);
    text_.push_back(id);
  }
}

ChosenToken LogprobsOf(std::span<const float> logits, int32_t id, size_t top) {
  double highest = logits[0];
  for (const float logit : logits) highest = std::max<double>(highest, logit);
  double sum = 0;
  for (const float logit : logits) sum += std::exp(logit - highest);
  const double norm = highest + std::log(sum);

  std::vector<int32_t> ids(logits.size());
  for (size_t i = 0; i < ids.size(); ++i) ids[i] = static_cast<int32_t>(i);
  const size_t wanted = std::min(top, ids.size());
  std::partial_sort(ids.begin(), ids.begin() + static_cast<long>(wanted), ids.end(),
                    [&](int32_t a, int32_t b) {
                      const float x = logits[static_cast<size_t>(a)];
                      const float y = logits[static_cast<size_t>(b)];
                      return x != y ? x > y : a < b;
                    });
  const auto of = [&](int32_t i) { return TokenLogprob{i, logits[static_cast<size_t>(i)] - norm}; };
  ChosenToken chosen{of(id), {}};
  const float own = logits[static_cast<size_t>(id)];
  chosen.rank = 1 + std::count_if(logits.begin(), logits.end(), [&](float x) { return x > own; });
  for (size_t i = 0; i < wanted; ++i) chosen.top.push_back(of(ids[i]));
  return chosen;
}

}  // namespace cedar
