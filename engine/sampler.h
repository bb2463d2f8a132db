#ifndef CEDAR_ENGINE_SAMPLER_H_
#define CEDAR_ENGINE_SAMPLER_H_

// From logits to the next token (text.md, section D).

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/token_set.h"
#include "weights/random.h"

namespace cedar {

// The defaults are those that the model card recommends.
struct SamplingParams {
  double temperature = 1.0;  // 0 or more; 0: always the likeliest token
  double top_p = 0.95;       // 0 to 1; 1: off
  size_t top_k = 0;          // 0: off
  double min_p = 0;          // 0 to 1; 0: off
};

// Tokens that are out of the question for one pick. What is forbidden is allowed where nothing else
// is left.
struct TokenFilter {
  const TokenSet* allowed = nullptr;  // null: all
  std::optional<int32_t> also;        // allowed beside those
  std::span<const int32_t> forbidden = {};
};

// What is wrong with the values, for people; nothing if all is right.
std::optional<std::string> WhatIsWrong(const SamplingParams& params);

// Picks tokens, always the same ones for the same logits, values and seed. The values act in this
// order: temperature, top-k, top-p (the fewest likeliest tokens that together reach it), min-p (as
// a share of the likeliest token's probability).
class Sampler {
 public:
  // REQUIRES: nothing wrong with params. forbidden: ids never picked, in ascending order.
  Sampler(const SamplingParams& params, uint64_t seed, std::vector<int32_t> forbidden = {});

  // logits [vocab_size]; not all of them forbidden. Equally likely tokens rank by id, the lower
  // first. A logit that is not finite is an Error (kModel).
  int32_t Pick(std::span<const float> logits, const TokenFilter& filter = {});

 private:
  struct Candidate {
    int32_t id;
    float weight;  // its probability times something common to all
  };

  void Mask(std::span<const float> logits, const TokenFilter& filter);
  void Forbid(std::span<const int32_t> ids);
  int32_t Likeliest() const;
  void KeepTopK();
  double Weigh();
  void CollectLikeliest(double total);
  void KeepTopP(double total);
  void KeepMinP();
  int32_t Draw();

  SamplingParams params_;
  Random random_;
  std::vector<int32_t> forbidden_;
  std::vector<float> scores_;   // by id: its logit, or -infinity where it is out of the question
  std::vector<float> weights_;  // by id: 1 for the likeliest, 0 where it is out of the question
  std::vector<Candidate> candidates_;  // those still in the game
};

// The natural logarithm of the probability of `id` under softmax(logits). A logit that is not
// finite is an Error (kModel).
double LogProb(std::span<const float> logits, int32_t id);

}  // namespace cedar

#endif  // CEDAR_ENGINE_SAMPLER_H_
