#include "engine/sampler.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "simd/error.h"

namespace cedar {
namespace {

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
  Collect(logits, filter);
  if (params_.temperature == 0) return Likeliest();
  KeepTopK();
  const double total = Weigh();
  KeepTopP(total);
  KeepMinP();
  return Draw();
}

bool Sampler::IsLikelier(const Candidate& a, const Candidate& b) {
  return a.logit != b.logit ? a.logit > b.logit : a.id < b.id;
}

void Sampler::Collect(std::span<const float> logits, const TokenFilter& filter) {
  candidates_.clear();
  const auto is_out = [&](int32_t id) {
    return std::binary_search(forbidden_.begin(), forbidden_.end(), id) ||
           std::binary_search(filter.forbidden.begin(), filter.forbidden.end(), id);
  };
  if (filter.allowed != nullptr) {
    for (const int32_t id : *filter.allowed) {
      if (!is_out(id)) Consider(logits, id);
    }
  } else {
    for (int32_t id = 0; id < static_cast<int32_t>(logits.size()); ++id) {
      if (!is_out(id)) Consider(logits, id);
    }
  }
  CEDAR_CHECK(!candidates_.empty());
}

void Sampler::Consider(std::span<const float> logits, int32_t id) {
  const float logit = logits[static_cast<size_t>(id)];
  if (!std::isfinite(logit)) ThrowNotFinite(static_cast<size_t>(id));
  candidates_.push_back({id, logit, 0});
}

int32_t Sampler::Likeliest() const {
  return std::min_element(candidates_.begin(), candidates_.end(), IsLikelier)->id;
}

void Sampler::KeepTopK() {
  const size_t k = params_.top_k;
  if (k == 0 || k >= candidates_.size()) return;
  // Sorted, so that the order of the sums to come does not depend on the standard library.
  std::partial_sort(candidates_.begin(), candidates_.begin() + k, candidates_.end(), IsLikelier);
  candidates_.resize(k);
}

// Gives each candidate its weight, 1 for the likeliest, and returns the sum.
double Sampler::Weigh() {
  const double highest =
      std::min_element(candidates_.begin(), candidates_.end(), IsLikelier)->logit;
  double total = 0;
  for (Candidate& candidate : candidates_) {
    candidate.weight = std::exp((candidate.logit - highest) / params_.temperature);
    total += candidate.weight;
  }
  return total;
}

void Sampler::KeepTopP(double total) {
  if (params_.top_p == 1) return;
  // Mostly a few tokens are enough: sort a few, and more only when they do not reach top_p.
  size_t sorted = 0;
  size_t kept = 0;
  double reached = 0;
  do {
    if (kept == sorted) {
      const size_t from = sorted;
      sorted = std::min(candidates_.size(), std::max<size_t>(64, 8 * sorted));
      std::partial_sort(candidates_.begin() + from, candidates_.begin() + sorted, candidates_.end(),
                        IsLikelier);
    }
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
