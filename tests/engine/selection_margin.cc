#include "tests/engine/selection_margin.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

namespace cedar {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// eligible: what could be chosen.
double Margin(std::span<const float> scores, std::span<const int32_t> kept,
              const std::vector<bool>& eligible) {
  std::vector<bool> dropped = eligible;
  double last_kept = kInfinity, first_dropped = -kInfinity;
  for (const int32_t i : kept) {
    last_kept = std::min<double>(last_kept, scores[static_cast<size_t>(i)]);
    dropped[static_cast<size_t>(i)] = false;
  }
  for (size_t i = 0; i < scores.size(); ++i) {
    if (dropped[i]) first_dropped = std::max<double>(first_dropped, scores[i]);
  }
  if (first_dropped == -kInfinity || last_kept == kInfinity) return kInfinity;
  const double larger = std::max(std::abs(last_kept), std::abs(first_dropped));
  return larger == 0 ? 0 : (last_kept - first_dropped) / larger;
}

// Of all rows that `row` of the step sees.
std::vector<float> IndexScores(GoldenStep& truth, size_t layer, size_t row) {
  const ModelConfig& c = truth.config();
  const IndexerScratch& s = truth.scratch().indexer;
  const CompressedKv& kv = truth.KvOf(layer);
  const size_t head = row * c.index_heads;
  std::vector<float> scores(kv.Visible(row));
  for (size_t i = 0; i < scores.size(); ++i) {
    const uint8_t* const key = kv.Key(i);
    truth.model().kernels.index_scores(s.queries + head * IndexKeyBytes(c.index_head_dim),
                                       s.weights + head, c.index_heads, c.index_head_dim, {&key, 1},
                                       &scores[i]);
  }
  return scores;
}

}  // namespace

double SelectionMargin(GoldenStep& truth, size_t layer, size_t row) {
  const std::vector<float> scores = IndexScores(truth, layer, row);
  std::vector<bool> eligible(scores.size(), true);
  if (truth.model().plan.layers[layer].uses_candidates) {
    const size_t block_rows = truth.config().candidates->block_rows;
    eligible.assign(scores.size(), false);
    for (const int32_t block : truth.scratch().selections.blocks[row]) {
      const size_t first = static_cast<size_t>(block) * block_rows;
      for (size_t i = first; i < std::min(first + block_rows, scores.size()); ++i) {
        eligible[i] = true;
      }
    }
  }
  return Margin(scores, truth.scratch().selections.rows[row], eligible);
}

double CandidateMargin(GoldenStep& truth, size_t layer, size_t row) {
  const size_t block_rows = truth.config().candidates->block_rows;
  const std::vector<float> scores = IndexScores(truth, layer, row);
  std::vector<float> maxima((scores.size() + block_rows - 1) / block_rows,
                            -std::numeric_limits<float>::infinity());
  for (size_t i = 0; i < scores.size(); ++i) {
    maxima[i / block_rows] = std::max(maxima[i / block_rows], scores[i]);
  }
  if (!maxima.empty()) maxima.back() = std::numeric_limits<float>::infinity();  // always in
  return Margin(maxima, truth.scratch().selections.blocks[row],
                std::vector<bool>(maxima.size(), true));
}

double ExpertMargin(GoldenStep& truth, size_t layer, size_t row) {
  const ModelConfig& c = truth.config();
  const std::vector<float>& bias = truth.model().weights.layers[layer].moe.bias;
  std::vector<float> scores(c.experts);
  for (size_t e = 0; e < c.experts; ++e) {
    const double logit = truth.scratch().moe.logits[row * c.experts + e];
    scores[e] = static_cast<float>(std::sqrt(std::log1p(std::exp(logit)))) + bias[e];
  }
  return Margin(scores, {truth.scratch().moe.ids + row * c.experts_per_token, c.experts_per_token},
                std::vector<bool>(c.experts, true));
}

}  // namespace cedar
