#ifndef CEDAR_APP_TOKEN_CHOOSER_H_
#define CEDAR_APP_TOKEN_CHOOSER_H_

// Picks each next token of an answer: penalties and biases, forbidden and forced tokens, the
// grammar that the answer must follow, and the sampler.

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "app/answer_options.h"
#include "app/token_mask.h"
#include "engine/sampler.h"
#include "weights/tokenizer.h"

namespace cedar {

// The log-probability of a token is the model's own: before temperature, penalties and masks.
struct TokenLogprob {
  int32_t id = 0;
  double logprob = 0;
};

struct ChosenToken {
  TokenLogprob token;
  std::vector<TokenLogprob> top;  // the likeliest, best first; only if they are wanted
  size_t rank = 0;                // 1: no token is likelier; 0: nobody asked
};

// What does not depend on the request, found once in the tokenizer (text.md, section D).
struct ModelTokens {
  // vocab: rows of the head; ids without a token are forbidden.
  ModelTokens(const Tokenizer& tokenizer, size_t vocab);

  const Tokenizer& tokenizer;
  std::vector<int32_t> forbidden;  // never picked; ascending
  std::vector<int32_t> ends;       // the end of text, and the marks of a new turn; ascending
  std::optional<int32_t> end;      // the end of text itself
  std::optional<int32_t> think_end;
};

class TokenChooser {
 public:
  // tokens must outlive the chooser; prompt: for the repetition penalty.
  TokenChooser(const ModelTokens& tokens, const AnswerOptions& options,
               std::span<const int32_t> prompt);

  ChosenToken Next(std::span<const float> logits);

  // Whether the token, chosen last, ends the answer. It then is no part of it.
  bool Ends(int32_t id) const;

  size_t count() const { return count_; }  // tokens chosen so far

 private:
  bool MayEnd() const;
  int32_t Pick(std::span<const float> logits);
  // The tokens that the grammar allows next.
  const TokenSet& Allowed();
  std::span<const float> Adjusted(std::span<const float> logits);
  void Advance(int32_t id);

  const ModelTokens& tokens_;
  const AnswerOptions options_;
  Sampler sampler_;
  std::unordered_map<int32_t, size_t> generated_;  // counts
  std::vector<int32_t> seen_;                      // distinct ids for the repetition penalty
  std::vector<float> adjusted_;
  std::vector<int32_t> ends_;  // ascending
  TokenMasks::State state_ = 0;
  size_t renewals_ = 0;        // of the grammar, when state_ was found
  std::vector<int32_t> text_;  // what the grammar has seen
  bool thinking_;
  size_t count_ = 0;
};

// Log-probabilities of `id`, with its rank, and of the `top` likeliest tokens.
ChosenToken LogprobsOf(std::span<const float> logits, int32_t id, size_t top);

}  // namespace cedar

#endif  // CEDAR_APP_TOKEN_CHOOSER_H_
