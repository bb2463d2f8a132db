#include "engine/prefill.h"

#include <algorithm>
#include <cstring>

#include "engine/block.h"
#include "engine/compressor.h"
#include "engine/engram.h"
#include "engine/engram_fetch.h"
#include "engine/hyper_connection.h"
#include "engine/model.h"
#include "engine/scratch.h"

namespace cedar {
namespace {

size_t FirstDecoderLayer(const Forward& f) {
  return static_cast<size_t>(f.model.plan.first_decoder_layer);
}

// A token's embedding in every stream, and a mix that takes the first of them.
void Embed(const Forward& f, int32_t token, Bf16* streams, float* pre) {
  const ModelConfig& c = f.model.config;
  const size_t bytes = c.hidden * sizeof(Bf16);
  const uint8_t* const row = f.model.weights.embed.data + static_cast<size_t>(token) * bytes;
  for (size_t i = 0; i < c.hc; ++i) {
    std::memcpy(streams + i * c.hidden, row, bytes);
    pre[i] = i == 0 ? 1.0f : 0.0f;
  }
}

// The part of the pending rows that a layer replays: `count` tokens from the `first` on.
Step ReplayStep(Sequence& sequence, size_t first, size_t count) {
  const PendingRows& pending = sequence.pending;
  Step step;
  step.Add({.sequence = &sequence,
            .position = sequence.tokens.size() - pending.count + first,
            .count = count,
            .kind = RowKind::kPrompt,
            .streams = pending.streams + first * pending.row_values,
            .pre = pending.pre + first * pending.hc,
            .selection = first,
            .publish = false});
  return step;
}

// How many of the pending rows a decoder layer must see for the last one to come out right.
size_t RowsToReplay(const Forward& f, size_t pending, Replay replay, size_t layer) {
  return std::min(ReplayReach(f.model.config, f.model.plan, replay, layer), pending);
}

}  // namespace

void EmbedStep(const Forward& f, const Step& step) {
  const ModelConfig& c = f.model.config;
  for (const RowRef& row : RowsOf(step)) {
    const Segment& segment = *row.segment;
    Embed(f, segment.sequence->tokens[row.position()],
          segment.streams + row.offset * c.streams_width(), segment.pre + row.offset * c.hc);
  }
  BeginStep(f, step);
  LookUpEngrams(f, step);
}

Step EmbedTokens(const Forward& f, Sequence& sequence, size_t position, size_t count,
                 RowKind kind) {
  Step step;
  step.Add({.sequence = &sequence,
            .position = position,
            .count = count,
            .kind = kind,
            .streams = f.scratch.chunk.streams,
            .pre = f.scratch.chunk.pre});
  EmbedStep(f, step);
  return step;
}

void RunLayers(const Forward& f, size_t first, size_t last, const Step& step) {
  for (size_t layer = first; layer < last; ++layer) {
    FetchNextEngrams(f, step);
    Block(f, layer, step);
  }
}

void PendForDecoder(const Forward& f, const Step& step) {
  if (step.rows == 0) return;
  // The attention input of the first decoder layer: the global KV that all of the decoder reads.
  const size_t layer = FirstDecoderLayer(f);
  CollapseAndNorm(f, f.model.weights.layers[layer].attn_norm, step, f.scratch.x);
  Publish(f, layer, step, f.scratch.x);
  for (const Segment& segment : step.segments) {
    segment.sequence->pending.Append(segment.streams, segment.pre, segment.count);
  }
}

void EncodeChunk(const Forward& f, Sequence& sequence, size_t position, size_t count) {
  const Step step = EmbedTokens(f, sequence, position, count, RowKind::kPrompt);
  RunLayers(f, 0, FirstDecoderLayer(f), step);
  PendForDecoder(f, step);
}

void AddReplay(const Forward& f, Sequence& sequence, Step& step) {
  const size_t pending = sequence.pending.count;
  const size_t count = std::min(pending, f.model.config.window);
  Segment segment = ReplayStep(sequence, pending - count, count).segments[0];
  segment.selection = step.rows;
  step.Add(segment);
  sequence.pending.count = 0;
}

Segment ReplayDecoder(const Forward& f, Sequence& sequence, Replay replay) {
  const size_t pending = sequence.pending.count;
  for (size_t layer = FirstDecoderLayer(f); layer < f.model.plan.layers.size(); ++layer) {
    size_t first = pending - RowsToReplay(f, pending, replay, layer);
    while (first < pending) {
      const size_t count = std::min(f.scratch.rows, pending - first);
      const Step step = ReplayStep(sequence, first, count);
      BeginStep(f, step);
      Block(f, layer, step);
      first += count;
    }
  }
  const Segment last = ReplayStep(sequence, pending - 1, 1).segments[0];
  sequence.pending.count = 0;  // its memory stays: the caller still reads the last row's streams
  return last;
}

size_t ExactReplayRows(const Forward& f, size_t pending) {
  const size_t first = FirstDecoderLayer(f), last = f.model.plan.layers.size();
  size_t rows = 0;
  for (size_t i = first; i < last; ++i) rows += RowsToReplay(f, pending, Replay::kExact, i);
  return rows / (last - first);
}

void RebuildWindows(const Forward& f, Sequence& sequence) {
  sequence.ClearWindows();
  const size_t end = sequence.tokens.size();
  size_t position = end - std::min(end, f.model.config.window);
  while (position < end) {
    const size_t count = std::min(f.scratch.rows, end - position);
    Step step;
    step.Add({.sequence = &sequence,
              .position = position,
              .count = count,
              .streams = f.scratch.chunk.streams,
              .pre = f.scratch.chunk.pre,
              .publish = false});
    EmbedStep(f, step);
    RunLayers(f, 0, FirstDecoderLayer(f), step);
    sequence.pending.Append(f.scratch.chunk.streams, f.scratch.chunk.pre, count);
    position += count;
  }
}

}  // namespace cedar
