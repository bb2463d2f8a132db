#include "engine/compressor.h"

#include <algorithm>
#include <vector>

#include "engine/linear.h"
#include "engine/model.h"
#include "engine/observer.h"
#include "engine/scratch.h"
#include "engine/sequence.h"
#include "simd/error.h"

namespace cedar {
namespace {

// A compressed row that this step completes.
struct NewRow {
  CompressedKv* kv;
  size_t index;  // in the global KV
};

struct NewRows {
  std::vector<NewRow> rows;
  size_t prompt_rows = 0;   // those of prompt segments come first
  Bf16* latents = nullptr;  // [rows][head_dim]
  Bf16* keys = nullptr;     // [rows][index_head_dim]
};

CompressedKv& KvOf(const Forward& f, size_t layer, const Segment& segment) {
  const int source = f.model.plan.layers[layer].kv_source;
  return segment.sequence->compressed[static_cast<size_t>(source)];
}

// The attention inputs of the rows that publish: replays stand before them.
Activations Published(const Forward& f, const Step& step, const Bf16* x) {
  const size_t hidden = f.model.config.hidden, first = step.replay_rows;
  return {x + first * hidden, hidden, step.rows - first, step.prompt_rows - first};
}

// Ratio 1: every token is a group of its own.
NewRows ProjectEach(const Forward& f, size_t layer, const KvSourceWeights& w, const Step& step,
                    const Bf16* x) {
  const ModelConfig& c = f.model.config;
  const CompressorScratch& s = f.scratch.compressor;
  Linear(f, Published(f, step, x), {{&w.wkv, {.bf16 = s.latent, .stride = c.head_dim}}});
  NewRows out{{}, 0, s.latent, s.key};
  for (const Segment& segment : step.segments) {
    if (!segment.publish) continue;
    CompressedKv& kv = KvOf(f, layer, segment);
    for (size_t i = 0; i < segment.count; ++i) out.rows.push_back({&kv, kv.count++});
  }
  out.prompt_rows = step.prompt_rows - step.replay_rows;
  return out;
}

// The projections of the tokens of a segment, those of the unfinished group before it included.
class GroupTokens {
 public:
  // row: the segment's first one among those that publish.
  GroupTokens(const Forward& f, const CompressedKv& kv, const Segment& segment, size_t row)
      : kv_(kv),
        dim_(f.model.config.head_dim),
        new_kv_(f.scratch.compressor.kv + row * dim_),
        new_gate_(f.scratch.compressor.gate + row * dim_),
        size_(kv.group_count + segment.count) {}

  size_t size() const { return size_; }
  const float* Kv(size_t i) const { return Token(i, kv_.group_kv, new_kv_); }
  const float* Gate(size_t i) const { return Token(i, kv_.group_gate, new_gate_); }

 private:
  const float* Token(size_t i, const float* waiting, const float* added) const {
    const size_t before = kv_.group_count;
    return i < before ? waiting + i * dim_ : added + (i - before) * dim_;
  }

  const CompressedKv& kv_;
  size_t dim_;
  const float* new_kv_;
  const float* new_gate_;
  size_t size_;
};

// Pools the complete groups of a segment into latents and keeps the tokens that are left over.
void PoolSegment(const Forward& f, CompressedKv& kv, const Segment& segment, size_t row,
                 NewRows& out) {
  const size_t dim = f.model.config.head_dim, ratio = kv.layout.ratio;
  const GroupTokens tokens(f, kv, segment, row);
  const size_t groups = tokens.size() / ratio;
  const size_t first = out.rows.size();
  f.model.workers.ForRanges(groups, 1, [&](Range range, int) {
    std::vector<const float*> group_kv(ratio), group_gate(ratio);
    for (size_t g = range.begin; g < range.end; ++g) {
      for (size_t i = 0; i < ratio; ++i) {
        group_kv[i] = tokens.Kv(g * ratio + i);
        group_gate[i] = tokens.Gate(g * ratio + i);
      }
      f.model.kernels.pool(group_kv.data(), group_gate.data(), ratio, dim,
                           out.latents + (first + g) * dim);
    }
  });
  for (size_t g = 0; g < groups; ++g) out.rows.push_back({&kv, kv.count++});
  if (segment.kind == RowKind::kPrompt) out.prompt_rows += groups;

  // While no group is complete, the tokens that already wait stay where they are.
  const size_t left = tokens.size() - groups * ratio;
  for (size_t i = groups == 0 ? kv.group_count : 0; i < left; ++i) {
    const size_t token = groups * ratio + i;
    std::copy_n(tokens.Kv(token), dim, kv.group_kv + i * dim);
    std::copy_n(tokens.Gate(token), dim, kv.group_gate + i * dim);
  }
  kv.group_count = left;
}

NewRows PoolGroups(const Forward& f, size_t layer, const KvSourceWeights& w, const Step& step,
                   const Bf16* x) {
  const ModelConfig& c = f.model.config;
  const CompressorScratch& s = f.scratch.compressor;
  Linear(f, Published(f, step, x),
         {{&w.wkv, {.f32 = s.kv, .stride = c.head_dim}},
          {&w.wgate, {.f32 = s.gate, .stride = c.head_dim}}});
  NewRows out{{}, 0, s.latent, s.key};
  for (const Segment& segment : step.segments) {
    if (!segment.publish) continue;
    PoolSegment(f, KvOf(f, layer, segment), segment, segment.row - step.replay_rows, out);
  }
  return out;
}

// latents -> normed; keys = Wk latents.
void NormAndKeys(const Forward& f, const KvSourceWeights& w, const NewRows& added) {
  const ModelConfig& c = f.model.config;
  for (size_t i = 0; i < added.rows.size(); ++i) {
    Bf16* const latent = added.latents + i * c.head_dim;
    f.model.kernels.rms_norm(latent, w.norm.data(), c.head_dim, c.norm_eps, latent);
  }
  Linear(f, {added.latents, c.head_dim, added.rows.size(), added.prompt_rows},
         {{&w.wk, {.bf16 = added.keys, .stride = c.index_head_dim}}});
}

// Rotates rows and keys to the position of their group's first token, and stores them.
void Store(const Forward& f, const KvSourceWeights& w, const NewRows& added) {
  const ModelConfig& c = f.model.config;
  const simd::Kernels& k = f.model.kernels;
  f.model.workers.ForRanges(added.rows.size(), 1, [&](Range range, int) {
    std::vector<float> cos(c.rope_dim / 2), sin(c.rope_dim / 2);
    for (size_t i = range.begin; i < range.end; ++i) {
      CompressedKv& kv = *added.rows[i].kv;
      const size_t index = added.rows[i].index;
      Bf16* const latent = added.latents + i * c.head_dim;
      Bf16* const key = added.keys + i * c.index_head_dim;
      f.model.global_rope.Angles(index * kv.layout.ratio, cos.data(), sin.data());
      k.rms_norm(key, w.k_norm.data(), c.index_head_dim, c.norm_eps, key);
      k.rope(key, 1, c.index_head_dim, c.rope_dim, cos.data(), sin.data(), false);
      k.rope(latent, 1, c.head_dim, c.rope_dim, cos.data(), sin.data(), false);
      k.store_index_key(key, c.index_head_dim, kv.Key(index));
      k.store_compressed_row(latent, c.head_dim, kv.Row(index));
    }
  });
}

}  // namespace

void Publish(const Forward& f, size_t layer, const Step& step, const Bf16* x) {
  const KvSourceWeights& w = *f.model.weights.layers[layer].attn.kv_source;
  if (step.replay_rows == step.rows) return;
  if (f.observer != nullptr) f.observer->OnPublish(layer, step.rows - step.replay_rows);
  const bool pools = f.model.plan.layers[layer].ratio > 1;
  const NewRows added =
      pools ? PoolGroups(f, layer, w, step, x) : ProjectEach(f, layer, w, step, x);
  if (added.rows.empty()) return;
  for (const NewRow& row : added.rows) CEDAR_CHECK(row.index < row.kv->capacity());
  NormAndKeys(f, w, added);
  Store(f, w, added);
}

}  // namespace cedar
