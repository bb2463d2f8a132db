#include "engine/hyper_connection.h"

#include <algorithm>

#include "engine/model.h"
#include "engine/scratch.h"

namespace cedar {
namespace {

// Tokens whose streams meet a row of fn together.
constexpr size_t kMixTokens = 32;

Bf16* StreamsOf(const Forward& f, const RowRef& row) {
  return row.segment->streams + row.offset * f.model.config.streams_width();
}

float* PreOf(const Forward& f, const RowRef& row) {
  return row.segment->pre + row.offset * f.model.config.hc;
}

simd::MixParameters Parameters(const ModelConfig& c, const MixWeights& weights) {
  return {.hc = c.hc,
          .hidden = c.hidden,
          .base = weights.base.data(),
          .scale = weights.scale.data(),
          .norm_eps = c.norm_eps,
          .hc_eps = c.hc_eps,
          .sinkhorn_iters = c.sinkhorn_iters};
}

}  // namespace

void ComputeMixes(const Forward& f, const MixWeights& weights, const Step& step) {
  const ModelConfig& c = f.model.config;
  const MixScratch& mix = f.scratch.mix;
  std::vector<const Bf16*> streams;
  for (const RowRef& row : step.row_refs) streams.push_back(StreamsOf(f, row));
  // Work is split over groups of tokens and rows of fn, so that one token keeps all threads busy.
  const size_t groups = (step.rows + kMixTokens - 1) / kMixTokens;
  f.model.workers.ForRanges(groups * c.mixes(), step.rows == 1 ? 1 : 4, [&](Range all, int) {
    for (size_t i = all.begin; i < all.end;) {
      const size_t token = i / c.mixes() * kMixTokens, first = i % c.mixes();
      const size_t last = std::min(c.mixes(), first + (all.end - i));
      const size_t count = std::min(kMixTokens, step.rows - token);
      f.model.kernels.mix_dots(weights.fn, {first, last}, {&streams[token], count},
                               mix.dots + token * c.mixes());
      i += last - first;
    }
  });
  const simd::MixParameters p = Parameters(c, weights);
  f.model.workers.ForRanges(step.rows, 1, [&](Range range, int) {
    for (size_t i = range.begin; i < range.end; ++i) {
      f.model.kernels.mix_finish(p, mix.dots + i * c.mixes(), StreamsOf(f, step.row_refs[i]),
                                 mix.pre + i * c.hc, mix.post + i * c.hc,
                                 mix.comb + i * c.hc * c.hc);
    }
  });
}

void CollapseAndNorm(const Forward& f, const std::vector<float>& norm, const Step& step, Bf16* x) {
  const ModelConfig& c = f.model.config;
  f.model.workers.ForRanges(step.rows, 1, [&](Range range, int) {
    for (size_t i = range.begin; i < range.end; ++i) {
      Bf16* const row = x + i * c.hidden;
      f.model.kernels.collapse(StreamsOf(f, step.row_refs[i]), PreOf(f, step.row_refs[i]), c.hc,
                               c.hidden, row);
      f.model.kernels.rms_norm(row, norm.data(), c.hidden, c.norm_eps, row);
    }
  });
}

void Expand(const Forward& f, const Step& step, const Bf16* y) {
  const ModelConfig& c = f.model.config;
  const MixScratch& mix = f.scratch.mix;
  f.model.workers.ForRanges(step.rows, 1, [&](Range range, int) {
    for (size_t i = range.begin; i < range.end; ++i) {
      f.model.kernels.expand(y + i * c.hidden, mix.post + i * c.hc, mix.comb + i * c.hc * c.hc,
                             c.hc, c.hidden, StreamsOf(f, step.row_refs[i]));
      std::copy_n(mix.pre + i * c.hc, c.hc, PreOf(f, step.row_refs[i]));
    }
  });
}

}  // namespace cedar
