// A step takes its rows through two halves. Their segments differ: a prompt that goes on leaves the
// step after the encoder, and one that ends comes back with the rows of its replay.

#include "engine/batch_step.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "engine/block.h"
#include "engine/compressor.h"
#include "engine/decoder_replay.h"
#include "engine/engram.h"
#include "engine/engram_fetch.h"
#include "engine/hyper_connection.h"
#include "engine/model.h"
#include "engine/scratch.h"
#include "simd/error.h"
#include "simd/matrix.h"

namespace cedar {
namespace {

size_t FirstDecoderLayer(const Forward& f) {
  return static_cast<size_t>(f.model.plan.first_decoder_layer);
}

// Segments whose streams lie in the scratch, one behind the other.
class ScratchSegments {
 public:
  explicit ScratchSegments(const Forward& f) : f_(f) {}

  // The chunks of which `wanted` is true.
  template <class Wanted>
  void AddChunks(std::span<const PromptChunk> chunks, const Wanted& wanted) {
    for (const PromptChunk& chunk : chunks) {
      if (chunk.count == 0 || !wanted(chunk)) continue;
      Add({.sequence = chunk.sequence,
           .position = chunk.position,
           .count = chunk.count,
           .kind = RowKind::kPrompt,
           .publish = chunk.publish,
           .owner = chunk.owner});
    }
  }
  void AddGenerated(std::span<const GeneratedRun> runs) {
    for (const GeneratedRun& run : runs) {
      Add({.sequence = run.sequence,
           .position = run.position,
           .count = run.count,
           .kind = RowKind::kGenerated,
           .owner = run.owner});
    }
  }

  const std::vector<Segment>& all() const { return all_; }

 private:
  void Add(Segment segment) {
    segment.streams = f_.scratch.chunk.streams + rows_ * f_.model.config.streams_width();
    segment.pre = f_.scratch.chunk.pre + rows_ * f_.model.config.hc;
    segment.selection = rows_;
    rows_ += segment.count;
    all_.push_back(segment);
  }

  const Forward& f_;
  std::vector<Segment> all_;
  size_t rows_ = 0;
};

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

void EmbedStep(const Forward& f, const Step& step) {
  const ModelConfig& c = f.model.config;
  for (const RowRef& row : step.row_refs) {
    const Segment& segment = *row.segment;
    Embed(f, segment.sequence->tokens[row.position()],
          segment.streams + row.offset * c.streams_width(), segment.pre + row.offset * c.hc);
  }
  BeginStep(f, step);
  LookUpEngrams(f, step);
}

// Runs the layers, and meanwhile asks for the Engram rows of what comes after, as far as the
// prefetcher has room each time.
void RunHalf(const Forward& f, const BatchStep& batch, Range layers, const Step& step) {
  for (size_t layer = layers.begin; layer < layers.end; ++layer) {
    FetchNextEngrams(f, step);
    for (const ComingTokens& run : batch.coming) FetchPromptEngrams(f, run.tokens, *run.asked);
    if (step.rows > 0) Block(f, layer, step);
  }
}

// After the encoder half of chunks that stop there: makes the decoder's global KV of them, and adds
// their streams to the pending rows of their sequences.
void PendForDecoder(const Forward& f, const Step& step) {
  if (step.rows > step.replay_rows) {
    // The attention input of the first decoder layer: the global KV that all of the decoder reads.
    const size_t layer = FirstDecoderLayer(f);
    CollapseAndNorm(f, f.model.weights.layers[layer].attn_norm, step, f.scratch.x);
    Publish(f, layer, step, f.scratch.x);
  }
  for (const Segment& segment : step.segments) {
    segment.sequence->pending.Append(segment.streams, segment.pre, segment.count);
  }
}

// Whether the chunk ends with a replay, and the replay's rows share the step of the decoder half.
// Those of an exact one differ from layer to layer.
bool ReplaysInStep(const Forward& f, const PromptChunk& chunk) {
  const size_t rows = std::min(f.model.config.window, chunk.position + chunk.count);
  return chunk.last && chunk.replay == Replay::kBounded && rows <= f.scratch.rows;
}
bool ReplaysAlone(const Forward& f, const PromptChunk& chunk) {
  return chunk.last && chunk.replay != Replay::kFull && !ReplaysInStep(f, chunk);
}

// Replays of one window at most, then the segments that go on through every layer.
Step DecoderStep(const Forward& f, const BatchStep& batch, std::span<const Segment> carried) {
  std::vector<Segment> segments;
  size_t rows = 0;
  const auto add = [&](Segment segment) {
    segment.selection = rows;
    rows += segment.count;
    segments.push_back(segment);
  };
  for (const PromptChunk& chunk : batch.chunks) {
    if (!ReplaysInStep(f, chunk)) continue;
    PendingRows& pending = chunk.sequence->pending;
    const size_t count = std::min(pending.count, f.model.config.window);
    Segment replay = PendingSegment(*chunk.sequence, pending.count - count, count);
    replay.owner = chunk.owner;
    add(replay);
    pending.count = 0;  // used up; the streams stay readable until the next prompt token
  }
  for (const Segment& segment : carried) add(segment);
  return Step(std::move(segments));
}

// Replays that are no part of the decoder's step; their last rows join the outputs.
void ReplayAlone(const Forward& f, const BatchStep& batch, StepOutputs& outputs) {
  std::vector<Segment> last_rows;
  for (const PromptChunk& chunk : batch.chunks) {
    if (!ReplaysAlone(f, chunk)) continue;
    PendingRows& pending = chunk.sequence->pending;
    outputs.decoder_rows += ReplayByLayer(f, *chunk.sequence, chunk.replay);
    last_rows.push_back(PendingSegment(*chunk.sequence, pending.count - 1, 1));
    last_rows.back().owner = chunk.owner;
    pending.count = 0;
  }
  if (last_rows.empty()) return;
  const std::vector<Segment>& others = outputs.step.segments;
  last_rows.insert(last_rows.end(), others.begin(), others.end());
  outputs.step = Step(std::move(last_rows));
}

}  // namespace

size_t BatchStep::EncoderRows() const {
  size_t rows = 0;
  for (const PromptChunk& chunk : chunks) rows += chunk.count;
  for (const GeneratedRun& run : generated) rows += run.count;
  return rows;
}

size_t BatchStep::DecoderRows(size_t window) const {
  size_t rows = 0;
  for (const PromptChunk& chunk : chunks) {
    if (chunk.replay == Replay::kFull) {
      rows += chunk.count;
    } else if (chunk.last && chunk.replay == Replay::kBounded) {
      rows += std::min(window, chunk.position + chunk.count);
    }
  }
  for (const GeneratedRun& run : generated) rows += run.count;
  return rows;
}

StepOutputs RunBatchStep(const Forward& f, const BatchStep& batch) {
  const auto stops = [](const PromptChunk& chunk) { return chunk.replay != Replay::kFull; };
  ScratchSegments segments(f);
  // Those that stop at the decoder come first, so that they are a step of their own for its KV.
  segments.AddChunks(batch.chunks, [&](const auto& c) { return stops(c) && !c.publish; });
  segments.AddChunks(batch.chunks, [&](const auto& c) { return stops(c) && c.publish; });
  const Step stopping(segments.all());
  segments.AddChunks(batch.chunks, [&](const auto& c) { return !stops(c); });
  segments.AddGenerated(batch.generated);

  const Step encoder(segments.all());
  CEDAR_CHECK(encoder.rows <= f.scratch.rows);
  if (encoder.rows > 0) EmbedStep(f, encoder);
  RunHalf(f, batch, {0, FirstDecoderLayer(f)}, encoder);
  PendForDecoder(f, stopping);

  StepOutputs outputs;
  outputs.step = DecoderStep(f, batch, std::span(segments.all()).subspan(stopping.segments.size()));
  const Step& decoder = outputs.step;
  CEDAR_CHECK(decoder.rows <= f.scratch.rows);
  if (decoder.rows > 0) {
    BeginStep(f, decoder);
    RunHalf(f, batch, {FirstDecoderLayer(f), f.model.plan.layers.size()}, decoder);
  }
  outputs.decoder_rows = decoder.rows;
  ReplayAlone(f, batch, outputs);
  return outputs;
}

void RebuildWindows(const Forward& f, Sequence& sequence) {
  sequence.ClearWindows();
  const size_t end = sequence.tokens.size();
  size_t position = end - std::min(end, f.model.config.window);
  while (position < end) {
    const size_t count = std::min(f.scratch.rows, end - position);
    const PromptChunk chunk{.sequence = &sequence,
                            .position = position,
                            .count = count,
                            .replay = Replay::kBounded,
                            .last = false,
                            .publish = false};
    RunBatchStep(f, {.chunks = {chunk}});
    position += count;
  }
}

}  // namespace cedar
