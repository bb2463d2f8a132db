#include "engine/attention.h"

#include <algorithm>
#include <vector>

#include "engine/compressor.h"
#include "engine/indexer.h"
#include "engine/linear.h"
#include "engine/model.h"
#include "engine/scratch.h"
#include "engine/sequence.h"

namespace cedar {
namespace {

const AngleScratch& AnglesOf(const Forward& f, size_t layer) {
  return f.model.plan.layers[layer].ratio == 0 ? f.scratch.local_angles : f.scratch.global_angles;
}

// Rotates `count` vectors of head_dim channels for row i of the step.
void Rotate(const Forward& f, const AngleScratch& angles, size_t i, Bf16* x, size_t count,
            bool inverse = false) {
  const ModelConfig& c = f.model.config;
  const size_t pairs = c.rope_dim / 2;
  f.model.kernels.rope(x, count, c.head_dim, c.rope_dim, angles.cos + i * pairs,
                       angles.sin + i * pairs, inverse);
}

Activations Rows(const Step& step, const Bf16* data, size_t stride) {
  return {data, stride, step.rows, step.prompt_rows};
}

// The window of a row: from its segment where it lies in this step, else from the ring.
std::span<const uint8_t* const> WindowOf(const Forward& f, size_t layer, const RowRef& row,
                                         const uint8_t** pointers) {
  const size_t window = f.model.config.window, bytes = WindowRowBytes(f.model.config.head_dim);
  const Segment& segment = *row.segment;
  const WindowRing& ring = segment.sequence->windows[layer];
  const size_t end = row.position() + 1;
  const size_t begin = std::max(end - std::min(end, window), ring.BeginAfter(segment.position));
  for (size_t p = begin; p < end; ++p) {
    pointers[p - begin] = p < segment.position ? ring.Row(p)
                                               : f.scratch.attention.window_rows +
                                                     (segment.row + p - segment.position) * bytes;
  }
  return {pointers, end - begin};
}

std::span<const uint8_t* const> SelectedOf(const Forward& f, size_t layer, const RowRef& row,
                                           const uint8_t** pointers) {
  const int source = f.model.plan.layers[layer].kv_source;
  if (source < 0) return {};
  const CompressedKv& kv = row.segment->sequence->compressed[static_cast<size_t>(source)];
  const std::span<const int32_t> selected =
      f.scratch.selections.rows[row.segment->selection + row.offset];
  for (size_t i = 0; i < selected.size(); ++i) {
    pointers[i] = kv.Row(static_cast<size_t>(selected[i]));
  }
  return {pointers, selected.size()};
}

// Heads that one thread takes at a time: all of them when there are rows for every thread, so that
// a row's KV is unpacked once; else a part.
size_t HeadsAtATime(const Forward& f, const Step& step) {
  const size_t threads = static_cast<size_t>(f.model.workers.threads());
  const size_t parts = step.rows >= threads ? 1 : (threads + step.rows - 1) / step.rows;
  return std::max<size_t>(1, (f.model.config.heads + parts - 1) / parts);
}

void AppendWindows(const Forward& f, size_t layer, const Step& step) {
  const size_t bytes = WindowRowBytes(f.model.config.head_dim);
  for (const Segment& segment : step.segments) {
    segment.sequence->windows[layer].Append(
        segment.position, f.scratch.attention.window_rows + segment.row * bytes, segment.count);
  }
}

}  // namespace

void ProjectRows(const Forward& f, size_t layer, const Step& step, const Bf16* x) {
  const AttentionWeights& w = f.model.weights.layers[layer].attn;
  const ModelConfig& c = f.model.config;
  const AttentionScratch& s = f.scratch.attention;
  const AngleScratch& angles = AnglesOf(f, layer);
  Linear(f, Rows(step, x, c.hidden),
         {{&w.wq_a, {.bf16 = s.q_latent, .stride = c.q_rank}},
          {&w.wkv, {.bf16 = s.kv, .stride = c.head_dim}}});
  f.model.workers.ForRanges(step.rows, 1, [&](Range rows, int) {
    for (size_t i = rows.begin; i < rows.end; ++i) {
      Bf16* const latent = s.q_latent + i * c.q_rank;
      f.model.kernels.rms_norm(latent, w.q_norm.data(), c.q_rank, c.norm_eps, latent);
      Bf16* const kv = s.kv + i * c.head_dim;
      f.model.kernels.rms_norm(kv, w.kv_norm.data(), c.head_dim, c.norm_eps, kv);
      Rotate(f, angles, i, kv, 1);
      f.model.kernels.store_window_row(kv, c.head_dim,
                                       s.window_rows + i * WindowRowBytes(c.head_dim));
    }
  });
  Linear(f, Rows(step, s.q_latent, c.q_rank),
         {{&w.wq_b, {.bf16 = s.q, .stride = c.queries_width()}}});
}

void AttendRows(const Forward& f, size_t layer, const Step& step) {
  const AttentionWeights& w = f.model.weights.layers[layer].attn;
  const ModelConfig& c = f.model.config;
  const AttentionScratch& s = f.scratch.attention;
  const AngleScratch& angles = AnglesOf(f, layer);
  const size_t at_a_time = HeadsAtATime(f, step);
  const size_t parts = (c.heads + at_a_time - 1) / at_a_time;
  f.model.workers.ForRanges(step.rows * parts, 1, [&](Range tasks, int worker) {
    const WorkerScratch& mine = f.scratch.worker(worker);
    for (size_t task = tasks.begin; task < tasks.end; ++task) {
      const size_t i = task / parts, first = task % parts * at_a_time;
      const Range heads{first, std::min(c.heads, first + at_a_time)};
      Bf16* const q = s.q + i * c.queries_width();
      Rotate(f, angles, i, q + first * c.head_dim, heads.size());
      const simd::AttendInput in{
          .q = q,
          .heads = c.heads,
          .head_dim = c.head_dim,
          .window = WindowOf(f, layer, step.row_refs[i], mine.window_rows),
          .selected = SelectedOf(f, layer, step.row_refs[i], mine.selected_rows),
          .sink = w.sink.data()};
      Bf16* const out = s.heads + i * c.queries_width();
      f.model.kernels.attend(in, heads, mine.kernel, out);
      Rotate(f, angles, i, out + first * c.head_dim, heads.size(), /*inverse=*/true);
    }
  });
}

// y = Wo_b concat_g(Wo_a[g] o_g); Wo_a sees bf16 whatever it is stored as.
void ProjectHeads(const Forward& f, size_t layer, const Step& step, Bf16* y) {
  const AttentionWeights& w = f.model.weights.layers[layer].attn;
  const ModelConfig& c = f.model.config;
  const AttentionScratch& s = f.scratch.attention;
  const size_t groups_width = c.o_groups * c.o_rank;
  std::vector<LinearTask> groups;
  for (size_t g = 0; g < c.o_groups; ++g) {
    groups.push_back({Rows(step, s.heads + g * c.o_group_width(), c.queries_width()),
                      &w.wo_a[g],
                      {.bf16 = s.groups + g * c.o_rank, .stride = groups_width},
                      Quantise::kNever});
  }
  Linear(f, groups);
  Linear(f, Rows(step, s.groups, groups_width), {{&w.wo_b, {.bf16 = y, .stride = c.hidden}}});
}

void Attention(const Forward& f, size_t layer, const Step& step, const Bf16* x, Bf16* y) {
  const AttentionWeights& w = f.model.weights.layers[layer].attn;
  ProjectRows(f, layer, step, x);
  if (w.kv_source) Publish(f, layer, step, x);
  if (w.indexer) Select(f, layer, step, x);
  AttendRows(f, layer, step);
  AppendWindows(f, layer, step);
  ProjectHeads(f, layer, step, y);
}

}  // namespace cedar
