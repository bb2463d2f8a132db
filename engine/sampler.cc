#include "engine/sampler.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "simd/error.h"

namespace cedar {
namespace {

constexpr float kOut = -std::numeric_limits<float>::infinity();

size_t Index(int32_t id) { return static_cast<size_t>(id); }

// By several chains of comparisons: in a single one each would wait for the one before it.
float Highest(std::span<const float> scores) {
  constexpr size_t kChains = 8;
  std::array<float, kChains> highest;
  highest.fill(kOut);
  size_t i = 0;
  for (; i + kChains <= scores.size(); i += kChains) {
    for (size_t j = 0; j < kChains; ++j) highest[j] = std::max(highest[j], scores[i + j]);
  }
  for (; i < scores.size(); ++i) highest[0] = std::max(highest[0], scores[i]);
  return *std::max_element(highest.begin(), highest.end());
}

[[noreturn]] void ThrowNotFinite(size_t id) {
  throw Error(ErrorKind::kModel, "logits: found one that is not finite, of token " +
                                     std::to_string(id) + "; the weights may be damaged");
}

}  // namespace

std::optional<std::string> WhatIsWrong(const SamplingParams& params) {
  // Written so that a NaN is wrong too.
  if (!(params.temperature >= 0 && std::isfinite(params.temperature))) {
    return "temperature must be a number that is 0 or more";
  }
  if (!(params.top_p >= 0 && params.top_p <= 1)) return "top_p must be from 0 to 1";
  if (!(params.min_p >= 0 && params.min_p <= 1)) return "min_p must be from 0 to 1";
  return std::nullopt;
}

Sampler::Sampler(const SamplingParams& params, uint64_t seed, std::vector<int32_t> forbidden)
    : params_(params), random_(seed), forbidden_(std::move(forbidden)) {
  CEDAR_CHECK(!WhatIsWrong(params));
  CEDAR_CHECK(std::is_sorted(forbidden_.begin(), forbidden_.end()));
}

int32_t Sampler::Pick(std::span<const float> logits, const TokenFilter& filter) {
  Mask(logits, filter);
  if (params_.temperature == 0) return Likeliest();
  KeepTopK();
  const double total = Weigh();
  CollectLikeliest(total);
  KeepTopP(total);
  KeepMinP();
  return Draw();
}

void Sampler::Mask(std::span<const float> logits, const TokenFilter& filter) {
  for (size_t id = 0; id < logits.size(); ++id) {
    if (!std::isfinite(logits[id])) ThrowNotFinite(id);
  }
  if (filter.allowed == nullptr) {
    scores_.assign(logits.begin(), logits.end());
  } else {
    scores_.assign(logits.size(), kOut);
    const auto allow = [&](int32_t id) { scores_[Index(id)] = logits[Index(id)]; };
    filter.allowed->ForEach(allow);
    if (filter.also) allow(*filter.also);
  }
  for (const int32_t id : forbidden_) scores_[Index(id)] = kOut;
  Forbid(filter.forbidden);
}

// Not if nothing would be left.
void Sampler::Forbid(std::span<const int32_t> ids) {
  std::vector<float> before;
  before.reserve(ids.size());
  for (const int32_t id : ids) before.push_back(std::exchange(scores_[Index(id)], kOut));
  if (ids.empty() ||
      std::any_of(scores_.begin(), scores_.end(), [](float s) { return s > kOut; })) {
    return;
  }
  for (size_t i = 0; i < ids.size(); ++i) scores_[Index(ids[i])] = before[i];
}

int32_t Sampler::Likeliest() const {
  const float highest = Highest(scores_);
  CEDAR_CHECK(highest > kOut);
  return static_cast<int32_t>(std::find(scores_.begin(), scores_.end(), highest) -
                              scores_.begin());  // the first of equals
}

void Sampler::KeepTopK() {
  const size_t k = params_.top_k;
  if (k == 0 || k >= scores_.size()) return;
  std::vector<int32_t> ids(scores_.size());
  std::iota(ids.begin(), ids.end(), 0);
  const auto kept = ids.begin() + static_cast<long>(k);
  std::nth_element(ids.begin(), kept, ids.end(), [this](int32_t a, int32_t b) {
    const float x = scores_[Index(a)], y = scores_[Index(b)];
    return x != y ? x > y : a < b;
  });
  for (auto id = kept; id != ids.end(); ++id) scores_[Index(*id)] = kOut;
}

// Gives each token its weight, 1 for the likeliest, and returns the sum.
double Sampler::Weigh() {
  const double highest = scores_[Index(Likeliest())];
  double total = 0;
  weights_.resize(scores_.size());
  for (size_t id = 0; id < scores_.size(); ++id) {
    // The greatest power that is no more than a float's zero.
    constexpr double kVanishes = -104;
    const double power = (scores_[id] - highest) / params_.temperature;
    weights_[id] = power > kVanishes ? std::exp(static_cast<float>(power)) : 0;
    total += weights_[id];
  }
  return total;
}

// Candidates are the tokens that reach top_p together, and others no heavier than half of them: of
// the many tokens of a vocabulary all but a few are out after one look at the exponents of their
// weights.
void Sampler::CollectLikeliest(double total) {
  uint32_t least = 1;  // exponent of the lightest that is kept; none of weight 0
  if (params_.top_p < 1) {
    std::array<double, 128> mass{};  // by exponent, the largest being that of 1
    for (const float weight : weights_) mass[std::bit_cast<uint32_t>(weight) >> 23] += weight;
    double reached = 0;
    for (least = 127; least > 1; --least) {
      reached += mass[least];
      if (reached >= params_.top_p * total) break;
    }
  }
  candidates_.clear();
  for (size_t id = 0; id < weights_.size(); ++id) {
    if (std::bit_cast<uint32_t>(weights_[id]) >> 23 < least) continue;
    candidates_.push_back({static_cast<int32_t>(id), weights_[id]});
  }
}

void Sampler::KeepTopP(double total) {
  if (params_.top_p == 1) return;
  std::sort(candidates_.begin(), candidates_.end(), [this](const Candidate& a, const Candidate& b) {
    const float x = scores_[Index(a.id)], y = scores_[Index(b.id)];
    return x != y ? x > y : a.id < b.id;
  });
  size_t kept = 0;
  double reached = 0;
  do {
    reached += candidates_[kept++].weight;
  } while (reached < params_.top_p * total && kept < candidates_.size());
  candidates_.resize(kept);
}

void Sampler::KeepMinP() {
  std::erase_if(candidates_, [this](const Candidate& c) { return c.weight < params_.min_p; });
}

int32_t Sampler::Draw() {
  double total = 0;
  for (const Candidate& candidate : candidates_) total += candidate.weight;
  double left = random_.NextUnit() * total;
  for (const Candidate& candidate : candidates_) {
    if (left < candidate.weight) return candidate.id;
    left -= candidate.weight;
  }
  return Likeliest();  // where rounding leaves a little over
}

double LogProb(std::span<const float> logits, int32_t id) {
  CEDAR_CHECK(id >= 0 && static_cast<size_t>(id) < logits.size());
  double highest = logits[0];
  for (size_t i = 0; i < logits.size(); ++i) {
    if (!std::isfinite(logits[i])) ThrowNotFinite(i);
    highest = std::max<double>(highest, logits[i]);
  }
  double sum = 0;
  for (const float logit : logits) sum += std::exp(logit - highest);
  return logits[id] - highest - std::log(sum);
}

}  // namespace cedar
