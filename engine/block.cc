#include "engine/block.h"

#include "engine/attention.h"
#include "engine/engram.h"
#include "engine/hyper_connection.h"
#include "engine/model.h"
#include "engine/moe.h"
#include "engine/observer.h"
#include "engine/scratch.h"

namespace cedar {
namespace {

void ShowBlock(const Forward& f, size_t layer, const Step& step) {
  if (f.observer == nullptr) return;
  f.observer->OnStep(layer, step);
  const ModelConfig& c = f.model.config;
  for (const RowRef& row : step.row_refs) {
    f.observer->OnBlock(layer, row.position(),
                        {row.segment->streams + row.offset * c.streams_width(), c.streams_width()},
                        {row.segment->pre + row.offset * c.hc, c.hc});
  }
}

using ShowSublayer = void (BlockObserver::*)(size_t, size_t, std::span<const Bf16>,
                                             std::span<const Bf16>);

void Show(const Forward& f, ShowSublayer show, size_t layer, const Step& step, const Bf16* x,
          const Bf16* y) {
  if (f.observer == nullptr) return;
  const size_t hidden = f.model.config.hidden;
  size_t i = 0;
  for (const RowRef& row : step.row_refs) {
    (f.observer->*show)(layer, row.position(), {x + i * hidden, hidden}, {y + i * hidden, hidden});
    ++i;
  }
}

}  // namespace

void Block(const Forward& f, size_t layer, const Step& step) {
  const LayerWeights& w = f.model.weights.layers[layer];
  Bf16 *const x = f.scratch.x, *const y = f.scratch.y;  // what goes into a sublayer, and comes out
  if (w.engram) AddEngram(f, layer, step);
  ShowBlock(f, layer, step);

  ComputeMixes(f, w.attn_mix, step);
  CollapseAndNorm(f, w.attn_norm, step, x);
  Attention(f, layer, step, x, y);
  Show(f, &BlockObserver::OnAttention, layer, step, x, y);
  Expand(f, step, y);

  ComputeMixes(f, w.ffn_mix, step);
  CollapseAndNorm(f, w.ffn_norm, step, x);
  MixtureOfExperts(f, layer, step, x, y);
  Show(f, &BlockObserver::OnMoe, layer, step, x, y);
  Expand(f, step, y);
}

void BeginStep(const Forward& f, const Step& step) {
  const size_t pairs = f.model.config.rope_dim / 2;
  const AngleScratch &local = f.scratch.local_angles, &global = f.scratch.global_angles;
  f.model.workers.ForRanges(step.rows, 8, [&](Range range, int) {
    for (size_t i = range.begin; i < range.end; ++i) {
      f.model.local_rope.Angles(step.row_refs[i].position(), local.cos + i * pairs,
                                local.sin + i * pairs);
      f.model.global_rope.Angles(step.row_refs[i].position(), global.cos + i * pairs,
                                 global.sin + i * pairs);
    }
  });
}

}  // namespace cedar
